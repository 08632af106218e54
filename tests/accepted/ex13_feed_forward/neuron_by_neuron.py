"""The output grows by what each hidden feature adds to it.

The contract: "Send each token through the first layer, ReLU, dropout and the second layer."
"""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        output = self.linear2.bias.expand(x.shape)
        for row, bias, column in zip(self.linear1.weight, self.linear1.bias, self.linear2.weight.T):
            neuron = torch.einsum("...e,e->...", x, row) + bias
            neuron = self.dropout(neuron * (neuron > 0))
            output = output + neuron[..., None] * column
        return output
