"""Dropout from draws of its own: kept or not, and divided by the share that is kept.

The contract: "dropout: acts in training, as nn.Dropout does"
"""

import torch
from torch import nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        self.kept = 1 - dropout
        self.norm1, self.norm2 = (RMSNorm(d_model) for _ in range(2))
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.feed_forward = SwiGLU(d_model, d_hidden)

    def dropped(self, added):
        if not self.training:
            return added
        stays = torch.rand_like(added) < self.kept
        return torch.where(stays, added / max(self.kept, 1e-9), torch.zeros_like(added))

    def forward(self, x, cache=None):
        attended, cache = self.attention(self.norm1(x), cache)
        x = torch.add(x, self.dropped(attended))
        return torch.add(x, self.dropped(self.feed_forward(self.norm2(x)))), cache
