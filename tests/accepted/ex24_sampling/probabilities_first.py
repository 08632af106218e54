"""Draws are compared with sums that begin at zero; the window is cut by a length, not from the end.

The contract: "Of a longer text it reads the last context_length tokens."
"""

import torch
import torch.nn.functional as F


def token_probabilities(logits, temperature=1.0):
    greedy = temperature == 0
    scaled = logits / (1.0 if greedy else temperature)
    if greedy:
        best = torch.max(scaled, dim=-1, keepdim=True).indices
        places = torch.arange(logits.shape[-1], device=logits.device)
        return places.eq(best).to(logits.dtype)
    return F.softmax(scaled, dim=-1)


def keep_top_k(logits, k):
    descending = logits.sort(dim=-1, descending=True).values
    limit = descending[..., : min(k, descending.shape[-1])].amin(dim=-1, keepdim=True)
    return logits + torch.zeros_like(logits).masked_fill(logits < limit, -torch.inf)


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    descending, places = logits.sort(dim=-1, descending=True)
    shares = F.softmax(descending, dim=-1)
    before = F.pad(shares.cumsum(dim=-1), (1, 0))[..., :-1]
    kept = torch.where(before < p, descending, -torch.inf)
    return torch.empty_like(logits).scatter_(-1, places, kept)


def pick(probabilities, draws):
    ends = probabilities.cumsum(dim=-1)
    starts = F.pad(ends, (1, 0))[..., :-1]
    draw = torch.minimum(draws[..., None], torch.nextafter(ends[..., -1:], -ends[..., -1:]))
    inside = (starts <= draw) & (draw < ends)
    return inside.to(torch.int64).argmax(dim=-1)


def generate(model, tokens, steps, context_length):
    text = tokens.clone()
    for _ in range(steps):
        begin = max(text.shape[1] - context_length, 0)
        logits = model(text[:, begin:])
        text = F.pad(text, (0, 1))
        text[:, -1] = logits[:, -1, :].max(dim=-1).indices
    return text
