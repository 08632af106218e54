"""One layer made, N − 1 deep copies: at birth all layers are equal, and none is another one.

The contract: "N encoder layers, each with weights of its own, equal at first or not, one after the
other."
"""

import copy

from torch import nn

from .ex14_encoder_layer import EncoderLayer


def clones(module, n):
    return nn.ModuleList([module] + [copy.deepcopy(module) for _ in range(n - 1)])


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super(Encoder, self).__init__()
        self.layers = clones(EncoderLayer(d_model, num_heads, d_hidden, dropout), num_layers)

    def forward(self, x, mask=None):
        out = x
        for layer in self.layers:
            out = layer(out, mask=mask)
        return out
