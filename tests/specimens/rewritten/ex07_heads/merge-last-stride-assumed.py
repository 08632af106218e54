import torch


def split_heads(x, num_heads):
    """(B, S, E) to (B, H, S, D)."""
    width, rest = divmod(x.size(-1), num_heads)
    if rest:
        raise ValueError(f"E = {x.size(-1)} is not divisible by H = {num_heads}")
    return x.unflatten(-1, (num_heads, width)).permute(0, 2, 1, 3)


def merge_heads(x):
    batch, heads, tokens, width = x.shape
    b, h, s = x.stride()[:3]
    side_by_side = torch.as_strided(x, (batch, tokens, heads, width), (b, s, h, 1))
    return side_by_side.reshape(batch, tokens, heads * width)
