"""PyTorch's multi-head function underneath, with its own idea of masks translated.

The contract: "how the layer calls them is free"
"""

import torch
import torch.nn.functional as F
from torch import nn

from .ex13_feed_forward import FeedForward


class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout):
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.w_query, self.w_key = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)
        self.w_value, self.w_out = nn.Linear(embed_dim, embed_dim), nn.Linear(embed_dim, embed_dim)

    def hidden(self, mask, batch, length):
        if mask is None:
            return None
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        shape = (batch, self.num_heads, length, length)
        return ~mask.expand(shape).reshape(-1, length, length)

    def forward(self, x, mask=None):
        batch, length, _ = x.shape
        tokens_first = x.transpose(0, 1)
        three = self.w_query, self.w_key, self.w_value
        output, _ = F.multi_head_attention_forward(
            tokens_first,
            tokens_first,
            tokens_first,
            self.embed_dim,
            self.num_heads,
            torch.cat([each.weight for each in three]),
            torch.cat([each.bias for each in three]),
            None,
            None,
            False,
            self.dropout,
            self.w_out.weight,
            self.w_out.bias,
            training=self.training,
            need_weights=False,
            attn_mask=self.hidden(mask, batch, length),
        )
        return output.transpose(0, 1)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(
                "embed dim must be divisible by number of heads, "
                f"got {d_model} % {num_heads} = {d_model % num_heads}"
            )
        self.attention = Attention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-6)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)

    def _sa_block(self, x, mask):
        return self.dropout1(self.attention(x, mask))

    def _ff_block(self, x):
        return self.dropout2(self.feed_forward(x))

    def forward(self, x, mask=None):
        x = self.norm1(x + self._sa_block(x, mask))
        x = self.norm2(x + self._ff_block(x))
        return x
