from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, seq_len, embed = x.shape
    assert embed % num_heads == 0, f"{embed} features cannot be shared by {num_heads} heads"
    return x.reshape(batch, seq_len, num_heads, embed // num_heads).permute(0, 2, 1, 3)


def merge_heads(x: Tensor) -> Tensor:
    batch, num_heads, seq_len, head_dim = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, seq_len, num_heads * head_dim)
