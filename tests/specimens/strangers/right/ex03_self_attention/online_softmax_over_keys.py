"""Exercise 03: self-attention with weights that can be learned."""

import torch
from torch import Tensor, nn


def _stream(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q = q * q.shape[-1] ** -0.5
    best = norm = mix = None
    for key, value in zip(k.unbind(-2), v.unbind(-2), strict=True):
        score = (q * key.unsqueeze(-2)).sum(-1, keepdim=True)
        value = value.unsqueeze(-2)
        if best is None:
            best, norm, mix = score, torch.ones_like(score), value.expand(*q.shape)
            continue
        top = torch.maximum(best, score)
        old, new = (best - top).exp(), (score - top).exp()
        best, norm, mix = top, norm * old + new, mix * old + value * new
    return mix / norm


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return _stream(x @ w_query, x @ w_key, x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query, self.w_key, self.w_value = (nn.Linear(d_in, d_out, bias) for _ in "qkv")

    def forward(self, x: Tensor) -> Tensor:
        return _stream(self.w_query(x), self.w_key(x), self.w_value(x))
