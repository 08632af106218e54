"""Tokens along the first dimension, rows along the last, and back at the end.

The contract: "They are not changed, and need not be contiguous."
"""

import torch


def turned(function):
    def answer(values, *others, **named):
        return function(values.movedim(-1, 0), *others, **named)

    return answer


@turned
def _probabilities(logits, temperature):
    if temperature == 0:
        best = logits.argmax(0)
        return torch.stack([best == at for at in range(len(logits))]).to(logits.dtype)
    return (logits / temperature).softmax(0)


def token_probabilities(logits, temperature=1.0):
    return _probabilities(logits, temperature).movedim(0, -1)


@turned
def _top_k(logits, k):
    best = logits.topk(min(k, len(logits)), 0).indices
    dropped = torch.ones_like(logits, dtype=torch.bool).scatter(0, best, False)
    return logits.masked_fill(dropped, -torch.inf)


def keep_top_k(logits, k):
    return _top_k(logits, k).movedim(0, -1)


@turned
def _top_p(logits, p):
    shares, left = logits.softmax(0), torch.full_like(logits[0], float(p))
    open_rows, kept = torch.ones_like(left, dtype=torch.bool), torch.zeros_like(shares).bool()
    for token in logits.argsort(0, descending=True):
        kept |= torch.zeros_like(kept).scatter(0, token[None], open_rows[None])
        left = left - shares.gather(0, token[None])[0]
        open_rows &= (left > 0) | (p == 1)
    return logits.masked_fill(~kept, -torch.inf)


def keep_top_p(logits, p):
    return _top_p(logits, p).movedim(0, -1)


@turned
def _pick(probabilities, draws):
    token, end = torch.zeros(draws.shape, dtype=torch.int64, device=draws.device), 0.0
    for at, share in enumerate(probabilities):
        token = torch.where((share > 0) & (draws >= end), at, token)
        end = end + share
    return token


def pick(probabilities, draws):
    return _pick(probabilities, draws)


def generate(model, tokens, steps, context_length):
    columns = list(tokens.T)
    for _ in range(steps):
        logits = model(torch.stack(columns[-context_length:], 1))
        columns.append(logits.transpose(0, 1)[-1].argmax(-1))
    return torch.stack(columns, 1)
