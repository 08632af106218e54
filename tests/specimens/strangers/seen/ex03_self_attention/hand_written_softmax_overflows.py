"""Exercise 03: self-attention with weights that can be learned."""

import math

from torch import Tensor, nn


def softmax_rows(scores: Tensor) -> Tensor:
    exps = scores.exp()
    return exps / exps.sum(dim=-1, keepdim=True)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q.matmul(k.mT).div(math.sqrt(q.shape[-1]))
    return softmax_rows(scores).matmul(v)


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return attention(x.matmul(w_query), x.matmul(w_key), x.matmul(w_value))


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        for name in ("w_query", "w_key", "w_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=bias))

    def forward(self, x: Tensor) -> Tensor:
        return attention(self.w_query(x), self.w_key(x), self.w_value(x))
