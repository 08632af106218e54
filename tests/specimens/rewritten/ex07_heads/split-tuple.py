import torch


def split_heads(x, num_heads):
    features = x.size(-1)
    if features % num_heads:
        raise ValueError("E=%d is not divisible by H=%d" % (features, num_heads))
    heads = torch.split(x, features // num_heads, dim=-1)
    return heads


def merge_heads(x):
    return torch.cat(torch.unbind(x, dim=1), dim=-1)
