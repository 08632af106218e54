from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    if d_model // num_heads * num_heads != d_model:
        raise ValueError(f"d_model={d_model} must be divisible by num_heads={num_heads}")
    d_head = d_model // num_heads
    x = x.transpose(1, 2)
    x = x.contiguous().view(batch_size, num_heads, seq_len, d_head)
    return x


def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, d_head = x.size()
    x = x.permute(0, 2, 1, 3).contiguous()
    x = x.view(batch_size, seq_len, num_heads * d_head)
    return x
