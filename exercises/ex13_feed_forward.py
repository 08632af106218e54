"""Exercise 13: the feed-forward network of a transformer layer."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, applied to each token by itself.

    Args:
        d_model: E, the width of input and output.
        d_hidden: F, the width between the two layers.
        dropout: the share of the F hidden features that nn.Dropout sets to zero in training, drawn
            for each token and each call. Nothing else is dropped, and nothing in evaluation.

    Attributes:
        linear1: nn.Linear from E to F features, with a bias.
        linear2: nn.Linear from F to E features, with a bias. Nothing else is learned. Both have the
            same names in `state_dict()`, which may have further ones.
    """

    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("ex13 FeedForward.__init__: not written yet")

    def forward(self, x: Tensor) -> Tensor:
        """Send each token through the first layer, ReLU, dropout and the second layer.

        Args:
            x: (..., E), with any number of dimensions before, also none. It is not changed, and
                need not be contiguous.

        Returns:
            (..., E). There is no residual connection: what comes of x is not added to it here.

        >>> import torch
        >>> FeedForward(4, 8)(torch.zeros(2, 3, 4)).shape
        torch.Size([2, 3, 4])
        """
        raise NotImplementedError("ex13 FeedForward.forward: not written yet")
