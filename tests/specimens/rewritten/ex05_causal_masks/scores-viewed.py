import torch
import torch.nn.functional as F


def causal_mask(size):
    place = torch.arange(size)
    return place.unsqueeze(1) >= place.unsqueeze(0)


def padding_mask(lengths, size):
    for n in lengths.tolist():
        if n > size:
            raise ValueError("length %d does not fit into size %d" % (n, size))
    return torch.arange(size, device=lengths.device).view(1, 1, size).lt(lengths.view(-1, 1, 1))


def mask_scores(scores, mask):
    n_keys = scores.shape[-1]
    rows = scores.view(-1, n_keys)
    hidden = mask.expand(scores.shape).logical_not().reshape(-1, n_keys)
    rows = rows.masked_fill(hidden, -torch.inf)
    return rows.view(scores.shape)


def mask_weights(weights, mask):
    weights = torch.where(mask, weights, torch.zeros_like(weights))
    sums = weights.sum(-1, keepdim=True)
    return weights / torch.where(sums > 0, sums, torch.ones_like(sums))


def masked_attention(query, key, value, mask=None):
    """Softmax, with rows that see nothing set to zero."""
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        blind = ~mask.any(dim=-1, keepdim=True)
        weights = F.softmax(mask_scores(scores, mask | blind), dim=-1)
        weights = weights.masked_fill(blind, 0.0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
