"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.d_model = d_model
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.view(-1, self.d_model)
        hidden = F.relu(F.linear(tokens, self.linear1.weight, self.linear1.bias))
        out = F.linear(self.dropout(hidden), self.linear2.weight, self.linear2.bias)
        return out.view(x.shape)
