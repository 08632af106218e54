"""PyTorch's fused attention, which is causal by itself; the buffer is there for the contract.

The contract: "Its shape, its dtype, what its numbers mean and whether it is saved with the module
are free."
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))
        self.context_length = context_length
        self.dropout = dropout

    def forward(self, x):
        if x.size(1) > self.context_length:
            raise ValueError(x.size(1), self.context_length)
        return scaled_dot_product_attention(
            self.w_query(x),
            self.w_key(x),
            self.w_value(x),
            dropout_p=self.dropout if self.training else 0.0,
            is_causal=True,
        )
