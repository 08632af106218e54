"""Top-p from the other end: tokens go as long as those that went have less than 1 − p.

The contract: "Below 1, the sum of a row's n likeliest never comes closer to p than 1e-5, for any n
from 1 to V."
"""

import torch


def token_probabilities(logits, temperature=1.0):
    if temperature == 0:
        answer = torch.zeros_like(logits)
        answer.scatter_(-1, logits.max(-1, keepdim=True).indices, 1)
        return answer
    return torch.exp(torch.log_softmax(logits / temperature, -1))


def keep_top_k(logits, k):
    size = logits.shape[-1]
    if k >= size:
        return logits
    limit = logits.kthvalue(size - k, -1, keepdim=True).values
    answer = logits.clone()
    answer[answer <= limit] = -torch.inf
    return answer


def keep_top_p(logits, p):
    rising, places = logits.double().softmax(-1).sort(-1)
    unneeded = rising.cumsum(-1) <= 1 - p if p < 1 else torch.zeros_like(rising, dtype=torch.bool)
    unneeded[..., -1] = False
    back = torch.empty_like(unneeded).scatter_(-1, places, unneeded)
    return torch.where(back, -torch.inf, logits)


def pick(probabilities, draws):
    exact = probabilities.double()
    left = exact.flip(-1).cumsum(-1).flip(-1)  # of each token and all after it
    total = left[..., :1]
    started = left >= total * (1 - draws.double()[..., None])
    possible = started & (probabilities > 0)
    places = torch.arange(1, probabilities.shape[-1] + 1, device=draws.device)
    return (possible * places).amax(-1).clamp(min=1) - 1


def generate(model, tokens, steps, context_length):
    total = tokens.shape[1] + steps
    while tokens.shape[1] < total:
        logits = model(tokens[:, -context_length:])[:, -1, :]
        tokens = torch.hstack([tokens, torch.topk(logits, 1).indices])
    return tokens
