"""The classic: view, transpose; transpose, contiguous, view.

The contract: "the features h·D to (h+1)·D − 1 are those of head h."
"""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    if d_model % num_heads != 0:
        raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
    head_dim = d_model // num_heads
    return x.view(batch_size, seq_len, num_heads, head_dim).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = x.size()
    return x.transpose(1, 2).contiguous().view(batch_size, seq_len, num_heads * head_dim)
