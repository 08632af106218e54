"""Double precision inside, the inputs' dtype outside; on its side, and in place on own tensors.

The contract: "No argument is changed, and none need be contiguous."
"""

from functools import partial

from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        layer = partial(nn.Linear, in_features=d_in, out_features=d_out, bias=bool(bias))
        self.w_query = layer()
        self.w_key = layer()
        self.w_value = layer()
        self.d_in, self.d_out = d_in, d_out
        nn.init.xavier_uniform_(self.w_query.weight)

    def forward(self, x):
        if x.shape[-1] != self.d_in:
            raise ValueError(f"tokens are {x.shape[-1]} wide, expected {self.d_in}")
        return _mixture(self.w_query(x), self.w_key(x), self.w_value(x))


def _mixture(q, k, v):
    scores = k.double() @ q.double().mT  # (..., S keys, S queries)
    scores *= q.shape[-1] ** -0.5
    weights = scores.softmax(-2)
    return (v.double().mT @ weights).mT.to(v.dtype)


def self_attention(x, w_query, w_key, w_value):
    if not w_query.shape == w_key.shape == w_value.shape:
        raise ValueError("three matrices of one shape, please")
    return _mixture(x @ w_query, x @ w_key, x @ w_value)
