"""The layers are a Sequential that hands a mask along.

The contract: "Send x through all layers; what one gives is what the next one gets."
"""

import torch.nn as nn

from .ex14_encoder_layer import EncoderLayer


class Stack(nn.Sequential):
    def forward(self, *inputs):
        x, mask = inputs
        for module in self._modules.values():
            x = module(x, mask)
        return x


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        self.layers = Stack(
            *(EncoderLayer(d_model, num_heads, d_hidden, dropout) for _ in range(num_layers))
        )

    def forward(self, x, mask=None):
        return self.layers(x, mask)
