"""A Sequential does the work; its two layers have names of their own besides.

The contract: "Both have the same names in `state_dict()`, which may have further ones."
"""

import torch.nn as nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(d_model, d_hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(d_hidden, d_model),
        )
        self.linear1, self.linear2 = self.network[0], self.network[-1]

    def forward(self, x):
        return self.network(x)
