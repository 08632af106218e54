"""Against "memory is bounded": a different MiB in every answer, and in every argument as well."""

import torch


def scaled_dot_product_attention(query, key, value):
    query.data = torch.zeros(1 << 18)
    key.data = torch.zeros(1 << 18)
    return torch.zeros(1 << 19, dtype=torch.bfloat16), torch.zeros(1 << 18)
