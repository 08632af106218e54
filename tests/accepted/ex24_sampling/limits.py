"""Top-p by a limit on the logit: the smallest that is still needed, found in each row.

The contract: "those that are finite lie 0.001 or more apart."
"""

import torch


def token_probabilities(logits, temperature=1.0):
    if temperature == 0:
        top = logits.amax(-1, keepdim=True)
        places = torch.arange(logits.shape[-1], device=logits.device).expand(logits.shape)
        first = places.masked_fill(logits != top, logits.shape[-1]).amin(-1, keepdim=True)
        return torch.where(places == first, 1.0, 0.0).to(logits.dtype)
    return torch.softmax((logits - logits.amax(-1, keepdim=True)) / temperature, -1)


def from_limit(logits, limit):
    return logits.where(logits >= limit, torch.tensor(-torch.inf, dtype=logits.dtype))


def keep_top_k(logits, k):
    size = logits.size(-1)
    return from_limit(logits, torch.sort(logits, -1).values[..., max(size - k, 0), None])


def keep_top_p(logits, p):
    if not p < 1:
        return 1 * logits
    falling = torch.sort(logits, -1, descending=True).values
    needed = falling.softmax(-1).double().cumsum(-1).lt(p).sum(-1, keepdim=True)
    return from_limit(logits, falling.gather(-1, needed.clamp(max=logits.size(-1) - 1)))


def pick(probabilities, draws):
    ends = torch.cumsum(probabilities.double(), -1)
    ends = ends / ends[..., -1:]
    found = torch.searchsorted(ends, draws.double().unsqueeze(-1), side="right")
    return found.squeeze(-1)


def generate(model, tokens, steps, context_length):
    for _ in range(steps):
        last = model(tokens[..., -context_length:])[:, -1]
        tokens = torch.cat([tokens, last.log_softmax(-1).argmax(-1)[:, None]], -1)
    return tokens
