"""The encoder layer; the feed-forward network is a Sequential with names."""

from collections import OrderedDict

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention


def token_network(d_model: int, d_hidden: int, dropout: float) -> nn.Sequential:
    layers = OrderedDict()
    layers["linear1"] = nn.Linear(d_model, d_hidden)
    layers["activation"] = nn.GELU()
    layers["dropout"] = nn.Dropout(dropout)
    layers["linear2"] = nn.Linear(d_hidden, d_model)
    return nn.Sequential(layers)


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = token_network(d_model, d_hidden, dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attn_out, _ = self.attention(x, x, x, mask)
        h = self.norm1(x + self.dropout(attn_out))
        ff_out = self.feed_forward(h)
        return self.norm2(h + self.dropout(ff_out))
