"""Each part under a second name, too, in a list of steps that forward loops over.

The contract: "All four have the same names in `state_dict()`, which may have further ones. The
results count, not how the block calls its parts."
"""

from torch import nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, context_length, dropout=0.1):
        super().__init__()
        self.norm1 = RMSNorm(d_model)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.norm2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.dropout = nn.Dropout(dropout)
        self.steps = nn.ModuleList([self.attention, self.feed_forward])
        self.norms = nn.ModuleList([self.norm1, self.norm2])

    def forward(self, x, cache=None):
        for norm, step in zip(self.norms, self.steps):
            more = (cache,) if step is self.attention else ()
            result = step(norm(x), *more)
            if step is self.attention:
                result, cache = result
            x = self.dropout(result) + x
        return x, cache
