"""The encoder layer with its own feed-forward network."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm


class TokenNetwork(nn.Module):
    """Two linear maps with a ReLU and a dropout between them."""

    def __init__(self, d_model: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.relu(self.linear1(x))
        draw = torch.ones_like(hidden[:, :1])
        hidden = hidden * F.dropout(draw, self.dropout, self.training)
        return self.linear2(hidden)


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = dropout
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = LayerNorm(d_model)
        self.feed_forward = TokenNetwork(d_model, d_hidden, dropout)
        self.norm2 = LayerNorm(d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        a = F.dropout(self.attention(x, x, x, mask)[0], self.dropout, self.training)
        y = self.norm1(x + a)
        f = F.dropout(self.feed_forward(y), self.dropout, self.training)
        return self.norm2(y + f)
