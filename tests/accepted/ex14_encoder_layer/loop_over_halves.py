"""Both halves in one loop.

The contract: "Self-attention, then a feed-forward network: two steps, one after the other."
"""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        parts = {
            "attention": MultiHeadAttention(d_model, num_heads, dropout),
            "feed_forward": FeedForward(d_model, d_hidden, dropout),
            "drop": nn.Dropout(dropout),
        }
        for number in (1, 2):
            parts[f"norm{number}"] = LayerNorm(d_model)
        for name, part in parts.items():
            self.add_module(name, part)

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        output, *_ = self.attention(x, x, x, mask=mask)
        return output

    def work(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.feed_forward(x)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        for step, norm in [(self.attend, self.norm1), (self.work, self.norm2)]:
            x = norm(self.drop(step(x, mask)) + x)
        return x
