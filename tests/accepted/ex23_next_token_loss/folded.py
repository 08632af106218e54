"""The logarithm of the sum of powers, folded one token of the vocabulary after another.

The contract: "However improbable a target is, its loss is finite."
"""

from functools import reduce

import torch


def shift(tokens, lengths):
    samples, size = tokens.shape
    places = torch.arange(1, size, device=tokens.device).repeat(samples, 1)
    targets = tokens.gather(1, places)
    behind = places - lengths.to(places.dtype).reshape(samples, 1)
    return tokens.index_select(1, places[0] - 1), targets.where(behind < 0, -100)


def token_losses(logits, targets):
    total = reduce(torch.logaddexp, logits.unbind(-1))
    found = torch.zeros_like(total)
    for token, scores in enumerate(logits.unbind(-1)):
        found = torch.where(targets == token, total - scores, found)
    return found


def next_token_loss(logits, targets):
    asked = targets.ne(-100)
    losses = [each.sum() for each in token_losses(logits, targets).unbind(1)]
    return sum(losses) / (asked.sum() + asked.logical_not().all())
