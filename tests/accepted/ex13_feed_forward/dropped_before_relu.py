"""Dropout first and ReLU after it, which is the same: zero stays zero, and no sign changes.

The contract: "the share of the F hidden features that nn.Dropout sets to zero in training"
"""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden, bias=True)
        self.drop = nn.Dropout(p=dropout)
        self.linear2 = nn.Linear(d_hidden, d_model, bias=True)

    def forward(self, x):
        return self.linear2(torch.clamp(self.drop(self.linear1(x)), min=0))
