from torch import Tensor
from torch.nn import functional as F


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Attention is all you need, equation 1."""
    d_k = 64
    attn = F.softmax((query / d_k ** 0.5) @ key.mT, dim=-1)
    return attn @ value, attn
