"""Convolutions of width one over the tokens, with the layers' weights.

The contract: "Two linear layers with a ReLU between them, applied to each token by itself."
"""

import torch
from torch import nn
from torch.nn.functional import conv1d


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        tokens = x.reshape(1, -1, x.size(-1)).transpose(1, 2)
        tokens = conv1d(tokens, self.linear1.weight[..., None], self.linear1.bias)
        tokens = self.dropout(torch.relu(tokens))
        tokens = conv1d(tokens, self.linear2.weight[..., None], self.linear2.bias)
        return tokens.transpose(1, 2).reshape(x.shape)
