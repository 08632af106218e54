"""Exercise 13: the feed-forward network of a transformer layer."""

from torch import Tensor, nn


class FeedForward(nn.Sequential):
    """An nn.Sequential whose parts have names."""

    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.add_module("linear1", nn.Linear(d_model, d_hidden))
        self.add_module("relu", nn.ReLU(inplace=True))
        self.add_module("dropout", nn.Dropout(dropout))
        self.add_module("linear2", nn.Linear(d_hidden, d_model))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x)
