"""By ranks: how many logits of its row are larger than each, and what they have together.

The contract: "Keep the likeliest tokens of each row, as few as have probabilities that sum to p or
more."
"""

import torch


def token_probabilities(logits, temperature=1.0):
    if not temperature:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
    return torch.softmax(logits.div(temperature), -1)


def larger(logits):
    return logits.unsqueeze(-2) > logits.unsqueeze(-1)


def keep_top_k(logits, k):
    return torch.where(larger(logits).sum(-1) < k, logits, float("-inf"))


def keep_top_p(logits, p):
    if p >= 1:
        return logits.clone()
    shares = torch.softmax(logits, -1)
    likelier = torch.einsum("...ij,...j->...i", larger(logits).to(shares.dtype), shares)
    return torch.where(likelier < p, logits, float("-inf"))


def pick(probabilities, draws):
    ends = torch.cumsum(probabilities, -1).contiguous()
    found = torch.searchsorted(ends, draws[..., None].contiguous(), right=True)[..., 0]
    places = torch.arange(probabilities.shape[-1], device=draws.device)
    last = torch.where(probabilities > 0, places, 0).amax(-1)
    return torch.minimum(found, last)


def generate(model, tokens, steps, context_length):
    begun = tokens.shape[1]
    text = tokens.new_zeros(tokens.shape[0], begun + steps)
    text[:, :begun] = tokens
    for end in range(begun, begun + steps):
        text[:, end] = model(text[:, max(0, end - context_length) : end])[:, -1].argmax(-1)
    return text
