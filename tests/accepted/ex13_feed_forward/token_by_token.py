"""A loop over the tokens, matrices and vectors only.

The contract: "applied to each token by itself."
"""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def one(self, token):
        hidden = torch.addmv(self.linear1.bias, self.linear1.weight, token)
        hidden = self.dropout(hidden.relu_())
        return torch.addmv(self.linear2.bias, self.linear2.weight, hidden)

    def forward(self, x):
        tokens = x.flatten(0, -2) if x.dim() > 1 else x[None]
        return torch.stack([self.one(token) for token in tokens]).view(x.shape)
