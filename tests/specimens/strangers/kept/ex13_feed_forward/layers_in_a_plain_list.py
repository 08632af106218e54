"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        sizes = [d_model, d_hidden, d_model]
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])]
        self.between = nn.Sequential(nn.ReLU(), nn.Dropout(dropout))

    @property
    def linear1(self) -> nn.Linear:
        return self.layers[0]

    @property
    def linear2(self) -> nn.Linear:
        return self.layers[1]

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        return second(self.between(first(x)))
