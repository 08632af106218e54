"""Row by row and token by token, in lists of Python.

The contract: "The token with which the sum reaches p is kept, too, so that each row keeps at least
one."
"""

import math

import torch


def by_row(function, values):
    rows = [function(row) for row in values.reshape(-1, values.shape[-1]).tolist()]
    return torch.tensor(rows, dtype=values.dtype, device=values.device).view(values.shape)


def probabilities_of(row, temperature=1.0):
    top = max(row)
    if temperature == 0:
        place = row.index(top)
        return [1.0 if at == place else 0.0 for at in range(len(row))]
    powers = [math.exp((each - top) / temperature) for each in row]
    return [each / sum(powers) for each in powers]


def token_probabilities(logits, temperature=1.0):
    return by_row(lambda row: probabilities_of(row, temperature), logits)


def only(row, kept):
    return [each if at in kept else float("-inf") for at, each in enumerate(row)]


def keep_top_k(logits, k):
    def one(row):
        return only(row, sorted(range(len(row)), key=row.__getitem__, reverse=True)[:k])

    return by_row(one, logits)


def keep_top_p(logits, p):
    def one(row):
        shares, kept, total = probabilities_of(row), [], 0.0
        for at in sorted(range(len(row)), key=row.__getitem__, reverse=True):
            kept.append(at)
            total += shares[at]
            if total >= p and p < 1:
                break
        return only(row, kept)

    return by_row(one, logits)


def pick(probabilities, draws):
    tokens = []
    rows = probabilities.reshape(-1, probabilities.shape[-1]).tolist()
    for row, draw in zip(rows, draws.reshape(-1).tolist()):
        end, token = 0.0, 0
        for at, share in enumerate(row):
            if share > 0:
                token, end = at, end + share
                if draw < end:
                    break
        tokens.append(token)
    return torch.tensor(tokens, device=draws.device).view(draws.shape)


def generate(model, tokens, steps, context_length):
    texts = tokens.tolist()
    for _ in range(steps):
        window = [text[max(0, len(text) - context_length) :] for text in texts]
        logits = model(torch.tensor(window, device=tokens.device)).tolist()
        for text, places in zip(texts, logits):
            text.append(max(range(len(places[-1])), key=places[-1].__getitem__))
    return torch.tensor(texts, device=tokens.device)
