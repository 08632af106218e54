"""Loops over heads that write slices into a new tensor.

The contract: "samples, tokens, features, of any dtype, which stays."
"""


def split_heads(x, num_heads):
    B, S, E = x.shape
    D = E // num_heads
    if D * num_heads != E:
        raise ValueError(f"E={E} and H={num_heads}: no whole number of features for each head")
    out = x.new_empty(B, num_heads, S, D)
    for h in range(num_heads):
        out[:, h] = x[:, :, h * D : (h + 1) * D]
    return out


def merge_heads(x):
    B, H, S, D = x.shape
    out = x.new_zeros((B, S, H * D))
    for h in range(H):
        out[..., h * D : h * D + D] = x[:, h]
    return out
