"""A Sequential whose steps have the names; it needs no forward of its own.

The contract: "Send each token through the first layer, ReLU, dropout and the second layer."
"""

from collections import OrderedDict

from torch import nn


class FeedForward(nn.Sequential):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        steps = OrderedDict()
        steps["linear1"] = nn.Linear(d_model, d_hidden)
        steps["activation"] = nn.ReLU()
        steps["dropout"] = nn.Dropout(dropout)
        steps["linear2"] = nn.Linear(d_hidden, d_model)
        super().__init__(steps)
