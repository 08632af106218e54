"""A loop over samples, and in it one over heads; the biases come last.

The contract: "Ask every head, put the answers side by side, project."
"""

import torch
from torch import nn

from .ex03_self_attention import SelfAttention, self_attention


class HeadsInAList(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if num_heads < 1 or d_model % num_heads > 0:
            raise ValueError(f"cannot make {num_heads} heads of {d_model} features")
        self.heads = nn.ModuleList()
        while len(self.heads) < num_heads:
            self.heads.append(SelfAttention(d_model, d_model // num_heads, bias=True))
        self.w_out = nn.Linear(d_model, d_model)

    @staticmethod
    def matrix(layer):
        return torch.cat([layer.weight.T, layer.bias[None]])  # (E + 1, D)

    def one_sample(self, tokens):
        longer = torch.cat([tokens, tokens.new_ones(len(tokens), 1)], dim=1)  # a one for the bias
        found = []
        for head in self.heads:
            layers = (head.w_query, head.w_key, head.w_value)
            found.append(self_attention(longer, *map(self.matrix, layers)))
        return torch.hstack(found)

    def forward(self, x):
        return self.w_out(torch.stack([self.one_sample(tokens) for tokens in x]))
