"""Each step is a residual block; the parts inside have the names of the contract besides.

The contract: "which may have further ones. The results count, not how the layer calls its parts."
"""

from torch import nn

from .ex05_causal_masks import causal_mask
from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class Attending(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.inner = attention

    def forward(self, x, source, mask):
        return self.inner(query=x, key=source, value=source, mask=mask)[0]


class Residual(nn.Module):
    def __init__(self, step, norm, dropout):
        super().__init__()
        self.step, self.norm, self.drop = step, norm, nn.Dropout(dropout)

    def forward(self, x, *rest):
        return self.norm(self.drop(self.step(x, *rest)) + x)


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_hidden, dropout=0.1):
        super().__init__()
        own = Attending(MultiHeadAttention(d_model, num_heads, dropout))
        other = Attending(MultiHeadAttention(d_model, num_heads, dropout))
        network = FeedForward(d_model, d_hidden, dropout)
        self.look, self.read, self.think = (
            Residual(step, LayerNorm(d_model), dropout) for step in (own, other, network)
        )
        self.self_attention, self.norm1 = own.inner, self.look.norm
        self.cross_attention, self.norm2 = other.inner, self.read.norm
        self.feed_forward, self.norm3 = network, self.think.norm

    def forward(self, x, memory, memory_mask=None):
        y = self.look(x, x, causal_mask(x.size(1)).to(x.device))
        return self.think(self.read(y, memory, memory_mask))
