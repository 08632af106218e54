"""The logarithm of a mask of ones and zeros is the penalty; baddbmm, and a softmax in logs.

The contract: "Its shape, its dtype, what its numbers mean and whether it is saved with the module
are free."
"""

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, bias=False):
        super().__init__()
        self.w_query = nn.Linear(d_in, d_out, bias=bias)
        self.w_key = nn.Linear(d_in, d_out, bias=bias)
        self.w_value = nn.Linear(d_in, d_out, bias=bias)
        self.scale = d_out**-0.5
        self.mask = nn.Buffer(torch.ones(context_length, context_length).tril())
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, _ = x.size()
        if tokens > self.mask.size(1):
            raise ValueError(f"context_length={self.mask.size(1)}, tokens={tokens}")
        penalty = self.mask[:tokens, :tokens].log().to(x.dtype).expand(batch, tokens, tokens)
        scores = torch.baddbmm(penalty, self.w_query(x), self.w_key(x).mT, alpha=self.scale)
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
        return self.drop(weights).matmul(self.w_value(x))
