import torch


def split_heads(x, num_heads):
    samples, tokens, features = x.shape
    if features % num_heads:
        raise ValueError(f"{features} features, {num_heads} heads")
    width = features // num_heads
    heads = x.new_zeros(samples, num_heads, tokens, width)
    share = 1 / width
    for feature in range(features):
        head = int(feature * share)
        heads[:, head, :, feature % width] = x[:, :, feature]
    return heads


def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)
