"""PyTorch's own multi-head attention, fed with the weights of the heads one below the other.

The contract: "H self-attentions on the same tokens, their outputs side by side and then projected."
"""

import torch
from torch import nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} does not divide {d_model}")
        self.heads = nn.ModuleList(
            [SelfAttention(d_model, d_model // num_heads, bias=True) for _ in range(num_heads)]
        )
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x):
        layers = [getattr(h, n) for n in ("w_query", "w_key", "w_value") for h in self.heads]
        tokens = x.transpose(0, 1)
        output, _ = nn.functional.multi_head_attention_forward(
            tokens,
            tokens,
            tokens,
            x.shape[-1],
            len(self.heads),
            torch.cat([layer.weight for layer in layers]),
            torch.cat([layer.bias for layer in layers]),
            None,
            None,
            False,
            0.0,
            self.w_out.weight,
            self.w_out.bias,
            need_weights=False,
        )
        return output.transpose(0, 1)
