"""PyTorch's fused kernel for both attentions.

The contract: "True = may attend to this place of the memory"
"""

import torch.nn.functional as F
from torch import nn

from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class Kernel(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        if width % heads:
            raise ValueError(f"{heads} heads cannot share {width} features")
        self.heads, self.share = heads, dropout
        self.w_query, self.w_key = nn.Linear(width, width), nn.Linear(width, width)
        self.w_value, self.w_out = nn.Linear(width, width), nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, source, mask=None, causal=False):
        q, k, v = self.w_query(x), self.w_key(source), self.w_value(source)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        context = F.scaled_dot_product_attention(
            *map(self.split, (q, k, v)),
            attn_mask=mask,
            dropout_p=self.share if self.training else 0.0,
            is_causal=causal,
        )
        return self.w_out(context.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.self_attention = Kernel(d_model, num_heads, dropout)
        self.cross_attention = Kernel(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, memory_mask=None):
        x = self.norm1(self.dropout(self.self_attention(x, x, causal=True)) + x)
        x = self.norm2(self.dropout(self.cross_attention(x, memory, memory_mask)) + x)
        return self.norm3(self.dropout(self.feed_forward(x)) + x)
