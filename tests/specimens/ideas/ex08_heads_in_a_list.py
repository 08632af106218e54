"""Several heads in a list: the idea, and nothing of the fine print."""

import torch
from torch import Tensor, nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    """Heads side by side, then one layer that mixes them."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            [SelfAttention(d_model, d_model // num_heads, bias=True) for _ in range(num_heads)]
        )
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        out = torch.cat([head(x) for head in self.heads], dim=-1)
        return self.w_out(out)
