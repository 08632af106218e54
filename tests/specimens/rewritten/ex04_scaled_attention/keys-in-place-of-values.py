"""Scaled dot-product attention, through flattened batches."""

import torch


def scaled_dot_product_attention(query, key, value):
    lead = query.shape[:-2]
    q = query.reshape(-1, *query.shape[-2:])
    k = key.reshape(-1, *key.shape[-2:])
    v = value.reshape(-1, *value.shape[-2:])

    scores = torch.bmm(q, k.permute(0, 2, 1)).div(q.size(2) ** 0.5)
    w = torch.nn.functional.softmax(scores, dim=2)
    out = torch.bmm(w, k)

    return out.reshape(*lead, *out.shape[1:]), w.reshape(*lead, *w.shape[1:])
