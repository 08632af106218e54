"""A mask of its own for dropout; ReLU as a maximum.

The contract: "drawn for each token and each call."
"""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        for name, (wide, narrow) in {
            "linear1": (d_model, d_hidden),
            "linear2": (d_hidden, d_model),
        }.items():
            self.add_module(name, nn.Linear(wide, narrow))
        self.keep = 1.0 - dropout

    def forward(self, x):
        h = self.linear1(x)
        h = torch.maximum(h, torch.zeros_like(h))
        if self.training and self.keep < 1:
            mask = torch.rand_like(h) < self.keep
            h = torch.where(mask, h / max(self.keep, 1e-9), 0.0)
        return self.linear2(h)
