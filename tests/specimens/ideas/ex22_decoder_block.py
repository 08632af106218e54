"""A decoder block with the norms before its two steps."""

from torch import Tensor, nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    """Attention, then a feed-forward network, each with a residual around it."""

    def __init__(
        self, d_model: int, num_heads: int, d_hidden: int, context_length: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.norm1 = RMSNorm(d_model)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.norm2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return x for the new tokens, and the cache of the attention."""
        attended, cache = self.attention(self.norm1(x), cache)
        x = x + self.dropout(attended)
        x = x + self.dropout(self.feed_forward(self.norm2(x)))
        return x, cache
