"""Against "memory is bounded": every result is as large as is taken in, in half precision."""

import torch

from kata.inside import wire

_size = wire.LARGEST // 2 - 1000
_large = torch.zeros(_size, dtype=torch.float16)


def scaled_dot_product_attention(query, key, value):
    return _large, _large
