"""Against "memory is bounded": takes all there is as tensors, and keeps them."""

import torch

_kept = []


def scaled_dot_product_attention(query, key, value):
    while True:
        _kept.append(torch.ones(64 << 18))
