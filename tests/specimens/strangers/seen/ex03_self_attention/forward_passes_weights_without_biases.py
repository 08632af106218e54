"""Exercise 03: self-attention with weights that can be learned."""

from math import sqrt

from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    d_out = w_query.shape[-1]
    scaled_query = (x @ w_query) / sqrt(d_out)
    weights = (scaled_query @ (x @ w_key).mT).softmax(-1)
    return weights @ (x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        # nn.Linear stores (d_out, d_in)
        return self_attention(x, *(layer.weight.T for layer in self.children()))
