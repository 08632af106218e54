"""The output of layer n is the layer on the output of layer n − 1, written down like that.

The contract: "with the names in `state_dict()` that an nn.ModuleList gives them"
"""

from torch import nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        self.num_layers = num_layers
        self.layers = nn.ModuleDict(
            {str(n): EncoderLayer(d_model, num_heads, d_hidden, dropout) for n in range(num_layers)}
        )

    def forward(self, x, mask=None):
        return self.after(self.num_layers, x, mask)

    def after(self, n, x, mask):
        return self.layers[str(n - 1)](self.after(n - 1, x, mask), mask) if n else x
