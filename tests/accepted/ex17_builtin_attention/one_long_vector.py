"""All numbers in one vector, in the order of the parameters; leading dimensions made one.

The contract: "There may be any number of leading dimensions, none included; they are the same for
query, key and value."
"""

import torch
from torch import Tensor, nn
from torch.nn.utils import vector_to_parameters


def to_builtin(attention) -> nn.MultiheadAttention:
    inside = [attention.w_query, attention.w_key, attention.w_value]
    bias = all(layer.bias is not None for layer in inside)
    module = nn.MultiheadAttention(
        attention.d_model, attention.num_heads, bias=bias, batch_first=True
    )
    named = {
        "in_proj_weight": torch.cat([layer.weight for layer in inside]),
        "in_proj_bias": torch.cat([layer.bias for layer in inside]) if bias else None,
        "out_proj.weight": attention.w_out.weight,
        "out_proj.bias": attention.w_out.bias,
    }
    vector = torch.cat([named[name].detach().flatten() for name, _ in module.named_parameters()])
    vector_to_parameters(vector, module.parameters())
    return module


def builtin_mask(mask: Tensor) -> Tensor:
    return torch.bitwise_not(mask)


def fused_attention(query, key, value, mask=None):
    *leading, T, D = query.shape
    S, width = value.shape[-2:]
    flat_query, flat_key = query.reshape(-1, T, D), key.reshape(-1, S, D)
    scores = torch.baddbmm(query.new_zeros(()), flat_query, flat_key.mT, beta=0, alpha=D**-0.5)
    if mask is not None:
        allowed = mask.expand(*leading, T, S).reshape(-1, T, S)
        scores[~allowed] = -torch.inf
    output = scores.log_softmax(dim=-1).exp().bmm(value.reshape(-1, S, width))
    return output.reshape(*leading, T, width)
