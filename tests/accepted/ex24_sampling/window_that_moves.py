"""The window is kept beside the text and moved by one token in each step; einsum where sums are.

The contract: "the texts, with what was added at the end."
"""

import math

import torch


def token_probabilities(logits, temperature=1.0):
    if temperature > 0:
        powers = torch.exp((logits - torch.amax(logits, -1, keepdim=True)) / temperature)
        return torch.einsum("...v,...->...v", powers, 1 / torch.einsum("...v->...", powers))
    return torch.eye(logits.shape[-1], dtype=logits.dtype)[logits.cpu().argmax(-1)].to(
        logits.device
    )


def keep_top_k(logits, k):
    order = torch.argsort(logits, dim=-1, descending=True)
    answer = logits.clone()
    return answer.scatter_(-1, order[..., k:], -math.inf)


def keep_top_p(logits, p):
    order = torch.argsort(logits, dim=-1, descending=True)
    shares = torch.take_along_dim(logits, order, -1).double().softmax(-1)
    size = logits.shape[-1]
    upper = torch.ones(size, size, dtype=torch.float64, device=logits.device).triu(1)
    before = torch.einsum("...i,ij->...j", shares, upper)
    dropped = (before >= p) & (p < 1)
    filled = torch.take_along_dim(logits, order, -1).masked_fill(dropped, -math.inf)
    return torch.take_along_dim(filled, torch.argsort(order, -1), -1)


def pick(probabilities, draws):
    ends = probabilities.cumsum(-1)
    passed = draws[..., None] >= ends
    last = (ends < ends[..., -1:]).sum(-1)  # the last token that has a part
    return torch.minimum(passed.sum(-1), last)


def generate(model, tokens, steps, context_length):
    window, added = tokens[:, -context_length:], []
    for _ in range(steps):
        token = model(window)[:, -1].argmax(-1, keepdim=True)
        added.append(token)
        window = torch.cat((window, token), 1)[:, -context_length:]
    return torch.cat((tokens, *added), 1)
