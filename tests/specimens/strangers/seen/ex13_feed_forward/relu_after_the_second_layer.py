"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.drop(self.linear1(x))
        output = self.linear2(hidden)
        return F.relu(output)
