"""PyTorch's own function, asked twice: values that are the identity bring out the weights.

The contract: "Attend: softmax(query @ keyᵀ / √D) @ value, with the softmax over the keys."
"""

import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value):
    S = key.shape[-2]
    identity = torch.eye(S, dtype=key.dtype, device=key.device).expand(*key.shape[:-1], S)
    output = F.scaled_dot_product_attention(query, key, value)
    weights = F.scaled_dot_product_attention(query, key, identity)
    return output, weights
