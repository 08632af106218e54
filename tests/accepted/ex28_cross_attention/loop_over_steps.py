"""All three steps in one loop.

The contract: "Causal self-attention, attention to a memory, then a feed-forward network"
"""

import torch
from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        parts = {
            "feed_forward": FeedForward(d_model, d_hidden, dropout),
            "cross_attention": MultiHeadAttention(d_model, num_heads, dropout),
            "self_attention": MultiHeadAttention(d_model, num_heads, dropout),
            "drop": nn.Dropout(dropout),
        }
        for number in (3, 2, 1):
            parts[f"norm{number}"] = LayerNorm(d_model)
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        size = x.shape[-2]
        lower = torch.ones(1, 1, size, size, dtype=torch.bool, device=x.device).tril()
        steps = (
            lambda x: self.self_attention(x, x, x, mask=lower)[0],
            lambda x: self.cross_attention(query=x, key=memory, value=memory, mask=memory_mask)[0],
            self.feed_forward,
        )
        for step, norm in zip(steps, (self.norm1, self.norm2, self.norm3)):
            x = norm(self.drop(step(x)) + x)
        return x
