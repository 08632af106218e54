"""A sorted mask that is shifted by one token and scattered back; gradients are switched off.

The contract: "the kept ones as they were, minus infinity for the others."
"""

import torch


@torch.no_grad()
def token_probabilities(logits, temperature=1.0):
    if temperature == 0:
        largest = logits == logits.max(-1, keepdim=True).values
        return (largest & (largest.cumsum(-1) == 1)).type_as(logits)
    scaled = logits / temperature
    return (scaled - scaled.logsumexp(-1, keepdim=True)).exp()


@torch.no_grad()
def keep_top_k(logits, k):
    values, indices = torch.topk(logits, min(k, logits.shape[-1]))
    return torch.full_like(logits, -torch.inf).scatter(-1, indices, values)


@torch.no_grad()
def keep_top_p(logits, p):
    if p == 1:
        return logits
    ordered, indices = torch.sort(logits, descending=True)
    remove = torch.cumsum(torch.softmax(ordered, -1), -1) > p
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(torch.zeros_like(remove).scatter(-1, indices, remove), -torch.inf)


@torch.no_grad()
def pick(probabilities, draws):
    ends = probabilities.cumsum(-1)
    ends = ends.masked_fill(ends == ends[..., -1:], torch.inf)  # from the last one that can come
    return (ends > draws[..., None]).int().argmax(-1)


@torch.no_grad()
def generate(model, tokens, steps, context_length):
    added = [tokens]
    for _ in range(steps):
        logits = model(torch.cat(added, 1)[:, -context_length:])
        added.append(logits[:, -1:].softmax(-1).argmax(-1))
    return torch.cat(added, 1)
