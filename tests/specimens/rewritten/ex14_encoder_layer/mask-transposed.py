from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = LayerNorm(d_model)
        self.dropouts = nn.ModuleList(nn.Dropout(dropout) for _ in range(2))

    def look(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            return self.attention(x, x, x)[0]
        return self.attention(x, x, x, mask.mT)[0]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        steps = (lambda y: self.look(y, mask), self.feed_forward)
        for step, drop, norm in zip(steps, self.dropouts, (self.norm1, self.norm2)):
            x = norm(drop(step(x)) + x)
        return x
