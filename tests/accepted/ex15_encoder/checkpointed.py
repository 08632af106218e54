"""Layers are run again on the way back instead of being remembered, while training.

The contract: "Send x through all layers; what one gives is what the next one gets."
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_hidden, dropout) for _ in range(num_layers)]
        )

    def forward(self, x, mask=None):
        for i, layer in enumerate(self.layers):
            if torch.is_grad_enabled():
                x = checkpoint(layer, x, mask, use_reentrant=False)
            else:
                x = layer(x, mask)
        return x
