import math

from torch import Tensor


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor):
    """Broadcast, multiply, sum: no matrix product anywhere."""
    root = math.isqrt(query.size(-1))
    dots = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1)
    weights = (dots / root).softmax(dim=-1)
    output = (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2)
    return output, weights
