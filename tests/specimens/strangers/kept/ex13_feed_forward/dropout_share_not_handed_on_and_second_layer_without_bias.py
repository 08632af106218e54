"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout_rate = dropout
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model, bias=False)
        self.activation = nn.ReLU()
        self.dropout = nn.Dropout()

    def forward(self, x: Tensor) -> Tensor:
        for step in (self.linear1, self.activation, self.dropout, self.linear2):
            x = step(x)
        return x
