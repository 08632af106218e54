"""The encoder layer with functional dropout."""

from torch import Tensor, nn
from torch.nn import functional as F

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        parts = {
            "attention": MultiHeadAttention(d_model, num_heads, dropout),
            "norm1": LayerNorm(d_model),
            "feed_forward": FeedForward(d_model, d_hidden, dropout),
            "norm2": LayerNorm(d_model),
        }
        for name, part in parts.items():
            self.add_module(name, part)
        self.p = dropout

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, p=self.p, training=self.training)

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        output, _ = self.attention(x, x, x, mask)
        return self.drop(output)

    def think(self, x: Tensor) -> Tensor:
        return self.drop(self.feed_forward(x))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attended = self.attend(x, mask)
        x = self.norm1(self.drop(attended) + x)
        thought = self.think(x)
        return self.norm2(thought + x)
