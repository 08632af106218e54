"""Attention with a sliding window and a cache of the last tokens."""

import math

import torch
from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


def window_mask(size: int, window: int, past: int = 0) -> Tensor:
    """Let each new token attend to itself and the window - 1 tokens before it."""
    query = torch.arange(past, past + size)[:, None]
    key = torch.arange(past + size)[None, :]
    return (key <= query) & (key > query - window)


def keep_last(cache: tuple[Tensor, Tensor], window: int) -> tuple[Tensor, Tensor]:
    """Cut keys and values to the last tokens."""
    keys, values = cache
    return keys[:, :, -window:], values[:, :, -window:]


class WindowAttention(nn.Module):
    """Self-attention in several heads over a sliding window."""

    def __init__(self, d_model: int, num_heads: int, window: int, bias: bool = False) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.window = window
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Attend to the window, in this call and before it."""
        query = split_heads(self.w_query(x), self.num_heads)
        key = split_heads(self.w_key(x), self.num_heads)
        value = split_heads(self.w_value(x), self.num_heads)
        past = 0
        if cache is not None:
            past = cache[0].size(2)
            key = torch.cat((cache[0], key), dim=2)
            value = torch.cat((cache[1], value), dim=2)
        mask = window_mask(x.size(1), self.window, past).to(x.device)
        scores = query @ key.transpose(2, 3) / math.sqrt(key.size(-1))
        scores = scores.masked_fill(mask == 0, float("-inf"))
        output = self.w_out(merge_heads(torch.softmax(scores, dim=-1) @ value))
        return output, keep_last((key, value), self.window)
