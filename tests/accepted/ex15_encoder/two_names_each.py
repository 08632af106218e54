"""Layers with names of their own, layer0 and so on, and in `layers` besides.

The contract: "with the names in `state_dict()` that an nn.ModuleList gives them, and
perhaps further ones"
"""

from torch import nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        names = [f"layer{number}" for number in range(num_layers)]
        for name in names:
            self.add_module(name, EncoderLayer(d_model, num_heads, d_hidden, dropout))
        self.layers = nn.ModuleList(getattr(self, name) for name in names)

    def forward(self, x, mask=None):
        for name, layer in self.named_children():
            if layer is not self.layers:
                x = layer(x, mask)
        return x
