"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    """ReLU and dropout commute (the factor is never negative), so dropout goes first here."""

    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = dropout
        self.linear1 = nn.Linear(in_features=d_model, out_features=d_hidden)
        self.linear2 = nn.Linear(in_features=d_hidden, out_features=d_model)

    def extra_repr(self) -> str:
        return f"dropout={self.dropout}"

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.dropout(self.linear1(x), self.dropout, self.training)
        return self.linear2(F.threshold(hidden, 0.0, 0.0))
