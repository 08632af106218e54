import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    """Dropout by a factor that is drawn."""

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.rate = dropout
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout)
        self.norm2 = LayerNorm(d_model)

    def _attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        given = self.attention(x, x, x, mask)[0]
        if not self.training:
            return given
        factor = F.dropout(torch.ones_like(given[:, :, :1]), self.rate)
        return factor * given

    def _think(self, x: Tensor) -> Tensor:
        return F.dropout(self.feed_forward(x), self.rate, self.training)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = self.norm1(torch.add(x, self._attend(x, mask)))
        return self.norm2(torch.add(x, self._think(x)))
