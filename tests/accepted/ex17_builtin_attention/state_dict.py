"""A state_dict with the built-in's names; a mask of zeros and −inf for the fused attention.

The contract: "A hidden key gets a weight of exactly zero, for scores of up to ±1,000."
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


def to_builtin(attention):
    layers = (attention.w_query, attention.w_key, attention.w_value)
    state = {
        "in_proj_weight": torch.vstack([layer.weight for layer in layers]),
        "out_proj.weight": attention.w_out.weight,
    }
    if attention.w_query.bias is not None:
        state["in_proj_bias"] = torch.hstack([layer.bias for layer in layers])
        state["out_proj.bias"] = attention.w_out.bias
    module = nn.MultiheadAttention(
        embed_dim=attention.d_model,
        num_heads=attention.num_heads,
        dropout=0.1,
        bias="in_proj_bias" in state,
        batch_first=True,
    )
    module.load_state_dict(state)
    return module


def builtin_mask(mask):
    return mask.logical_not()


def fused_attention(query, key, value, mask=None):
    additive = None
    if mask is not None:
        additive = torch.zeros(mask.shape, dtype=query.dtype, device=query.device)
        additive[~mask] = float("-inf")
    return F.scaled_dot_product_attention(query, key, value, additive)
