"""Dropout as a function that is told the mode, norms as PyTorch has them, with the right eps.

The contract: "in two places and nowhere else: on the output of the attention and on that of the
feed-forward network, before each is added."
"""

from torch import nn
from torch.nn import functional as F

from .ex20_norm_and_gate import SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.norm1 = nn.RMSNorm(d_model, eps=1e-6)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.norm2 = nn.RMSNorm(d_model, eps=1e-6)
        self.feed_forward = SwiGLU(d_model, d_hidden)

    def forward(self, x, cache=None):
        attended, cache = self.attention(self.norm1(x), cache)
        x = x + F.dropout(attended, self.p, self.training)
        fed = self.feed_forward(self.norm2(x))
        return x + F.dropout(fed, self.p, training=self.training), cache
