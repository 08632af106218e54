import torch
import torch.nn.functional as F
from torch import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    *leading, num_queries, width = query.shape
    num_heads = leading[-1] if len(leading) > 1 else 1
    head_dim = width // num_heads
    scale = 1.0 / head_dim**0.5
    attention = F.softmax(query @ key.mT * scale, dim=-1)
    return attention @ value, attention
