"""Collects the outputs of all layers, and returns the last one; keyword arguments throughout.

The contract: "the output of the last layer alone."
"""

from torch import nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    layers: nn.ModuleList

    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        sizes = dict(d_model=d_model, num_heads=num_heads, d_hidden=d_hidden, dropout=dropout)
        self.layers = nn.ModuleList()
        self.layers.extend(map(lambda _: EncoderLayer(**sizes), range(num_layers)))

    def forward(self, x, mask=None):
        seen = [x]
        for depth in range(len(self.layers)):
            seen.append(self.layers[depth].forward(x=seen[depth], mask=mask))
        return seen.pop()
