"""nn.functional's multi-head attention, given identities for the projections that are missing.

The contract: "Where a projection is missing, head h has its slice of the input in its place"
"""

import torch
from torch import nn
from torch.nn import functional as F


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} % {num_heads} = {d_model % num_heads}, expected 0")
        self.d_model, self.num_heads = d_model, num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)
        self.register_buffer("same", torch.eye(d_model), persistent=False)
        self.register_buffer("nothing", torch.zeros(d_model), persistent=False)

    def forward(self, x, mask=None):
        samples, tokens, _ = x.shape
        hidden = None
        if mask is not None:
            mask = mask[:, None] if mask.dim() == 3 else mask
            hidden = ~mask.expand(samples, self.num_heads, tokens, tokens)
            hidden = hidden.reshape(-1, tokens, tokens)  # True hides here
        key_weight = self.same if self.w_key is None else self.w_key.weight
        key_bias = self.nothing if self.w_key is None else self.w_key.bias
        along = x.transpose(0, 1)
        output, _ = F.multi_head_attention_forward(
            along, along, along, self.d_model, self.num_heads,
            None, torch.cat([self.w_query.bias, key_bias, self.nothing]), None, None, False, 0.0,
            self.w_out.weight, self.w_out.bias, attn_mask=hidden, need_weights=False,
            use_separate_proj_weight=True, q_proj_weight=self.w_query.weight,
            k_proj_weight=key_weight, v_proj_weight=self.same,
        )  # fmt: skip
        return output.transpose(0, 1)


def parameter_count(d_model, project_keys, project_values):
    return (d_model**2 + d_model) * (2 + bool(project_keys) + bool(project_values))
