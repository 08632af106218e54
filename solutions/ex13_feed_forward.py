"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, applied to each token by itself.

    Args:
        d_model: E, the width of input and output.
        d_hidden: F, the width between the two layers.
        dropout: the share of the F hidden features that is dropped in training.

    Attributes:
        linear1, linear2: nn.Linear from E to F and from F to E features.
    """

    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Map x of shape (..., E) to (..., E).

        >>> import torch
        >>> FeedForward(4, 8)(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 3, 4])
        """
        hidden = self.linear1(x).relu()  # (..., F)
        return self.linear2(self.dropout(hidden))  # (..., E)
