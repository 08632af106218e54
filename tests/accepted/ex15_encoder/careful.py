"""Checks everything first, expands the mask itself, works on a copy of x in place.

The contract: "Neither it nor the mask is changed, and neither need be contiguous."
"""

import torch
from torch import Tensor, nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, d_hidden: int, num_layers: int, dropout: float = 0.1
    ):
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        super().__init__()
        self.num_heads = num_heads
        self.layers = nn.ModuleList([])
        for i in range(num_layers):
            self.layers.add_module(str(i), EncoderLayer(d_model, num_heads, d_hidden, dropout))
        self.register_buffer(
            "everything", torch.ones(1, 1, 1, 1, dtype=torch.bool), persistent=False
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        batch, tokens, _ = x.shape
        if mask is None:
            mask = self.everything
        elif mask.dim() == 2:
            mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask[:, None]
        mask = mask.expand(batch, self.num_heads, tokens, tokens)
        hidden = x.clone()
        index = 0
        while True:
            hidden = self.layers[index](hidden, mask)
            index += 1
            if index == len(self.layers):
                return hidden
