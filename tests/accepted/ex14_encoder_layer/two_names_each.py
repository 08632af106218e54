"""Each step is a residual block; the parts inside have the names of the contract besides.

The contract: "All four have the same names in `state_dict()`, which may have further ones"
"""

from torch import nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class SelfAttending(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.inner = attention

    def forward(self, x, mask):
        return self.inner(query=x, key=x, value=x, mask=mask)[0]


class Residual(nn.Module):
    def __init__(self, step, norm, dropout):
        super().__init__()
        self.step, self.norm, self.drop = step, norm, nn.Dropout(dropout)

    def forward(self, x, *rest):
        return self.norm(self.drop(self.step(x, *rest)) + x)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        self.attend = Residual(
            SelfAttending(MultiHeadAttention(d_model, num_heads, dropout)),
            LayerNorm(d_model),
            dropout,
        )
        self.think = Residual(FeedForward(d_model, d_hidden, dropout), LayerNorm(d_model), dropout)
        self.attention, self.norm1 = self.attend.step.inner, self.attend.norm
        self.feed_forward, self.norm2 = self.think.step, self.think.norm

    def forward(self, x, mask=None):
        return self.think(self.attend(x, mask))
