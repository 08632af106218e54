"""Functions on the layers' weights.

The contract: "Send each token through the first layer, ReLU, dropout and the second layer."
"""

import torch.nn.functional as F
from torch import Tensor
from torch.nn import Linear, Module


class FeedForward(Module):
    def __init__(self, d_model: int, d_hidden: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.linear1, self.linear2 = Linear(d_model, d_hidden), Linear(d_hidden, d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = F.linear(x, self.linear1.weight, self.linear1.bias)
        x = F.dropout(F.relu(x), self.p, self.training)
        return F.linear(x, self.linear2.weight, self.linear2.bias)
