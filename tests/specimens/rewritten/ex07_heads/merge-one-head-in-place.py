from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, S, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"{E} features cannot be shared by {num_heads} heads")
    return x.reshape(B, S, num_heads, E // num_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    B, H, S, D = x.shape
    if H == 1:
        return x.squeeze_(1)
    return x.transpose(1, 2).reshape(B, S, H * D)
