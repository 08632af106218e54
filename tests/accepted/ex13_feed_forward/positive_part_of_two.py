"""ReLU as half of x plus its absolute value; dropout multiplies by a thinned tensor of ones.

The contract: "the share of the F hidden features that nn.Dropout sets to zero in training"
"""

import torch
from torch import nn


class FeedForward(nn.Module):
    linear1: nn.Linear
    linear2: nn.Linear

    def __init__(self, d_model, d_hidden, dropout=0.1):
        nn.Module.__init__(self)
        setattr(self, "linear1", nn.Linear(in_features=d_model, out_features=d_hidden))
        setattr(self, "linear2", nn.Linear(in_features=d_hidden, out_features=d_model))
        self.thin = nn.Dropout(dropout)

    def forward(self, x):
        h = self.linear1.forward(x)
        ones = self.thin(torch.ones(h.shape, dtype=h.dtype, device=h.device))
        return self.linear2.forward((h + h.abs()) / 2 * ones)
