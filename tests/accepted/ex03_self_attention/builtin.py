"""PyTorch's own attention, with two dimensions in front if there are none.

The contract: "softmax(q @ kᵀ / √d_out) @ v, with the softmax over the keys."
"""

import torch.nn.functional as F
from torch import Tensor, nn


def self_attention(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(x @ w_query, x @ w_key, x @ w_value)


class SelfAttention(nn.Module):
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        # made in another order, which is nobody's business
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_query = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.w_query(x), self.w_key(x), self.w_value(x)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.0, scale=k.size(-1) ** -0.5)
