"""A fold over the layers, the mask fixed beforehand.

The contract: "Every layer gets the same mask."
"""

from functools import partial, reduce

from torch import nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        while len(self.layers) < num_layers:
            self.layers.append(EncoderLayer(d_model, num_heads, d_hidden, dropout))

    def forward(self, x, mask=None):
        return reduce(lambda seen, layer: partial(layer, mask=mask)(seen), self.layers, x)
