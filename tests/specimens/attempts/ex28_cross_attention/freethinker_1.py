"""Exercise 28: a decoder layer that reads a memory."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

from torch import Tensor, nn

from .ex05_causal_masks import causal_mask
from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm2 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        own_mask = causal_mask(x.shape[1]).to(x.device)
        out, _ = self.self_attention(x, x, x, own_mask)
        x = self.norm1(x + self.dropout(out))
        out, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + self.dropout(out))
        out = self.feed_forward(x)
        x = self.norm3(x + self.dropout(out))
        return x
