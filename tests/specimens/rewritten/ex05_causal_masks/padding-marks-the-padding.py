import torch


class Softmax:
    """Softmax over the keys that a mask leaves."""

    def __init__(self, mask):
        self.mask = mask

    def scores(self, scores):
        return scores.where(self.mask, scores.new_tensor(-torch.inf))

    def share(self, weights):
        kept = weights.where(self.mask, weights.new_tensor(0.0))
        whole = kept.sum(dim=-1, keepdim=True)
        return kept / whole.where(whole != 0, whole.new_tensor(1.0))

    def __call__(self, scores):
        low = scores.where(self.mask, scores.new_tensor(torch.finfo(scores.dtype).min))
        return low.softmax(dim=-1).where(self.mask, scores.new_tensor(0.0))


def causal_mask(size):
    queries, keys = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    return keys <= queries


def padding_mask(lengths, size):
    if (lengths > size).any():
        raise ValueError(f"{lengths.max().item()} is too long for {size}")
    position = torch.arange(size, device=lengths.device)[None, None, :]
    return position >= lengths[:, None, None]


def mask_scores(scores, mask):
    return Softmax(mask).scores(scores)


def mask_weights(weights, mask):
    return Softmax(mask).share(weights)


def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", query, key).div(query.shape[-1] ** 0.5)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = Softmax(mask)(scores)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights
