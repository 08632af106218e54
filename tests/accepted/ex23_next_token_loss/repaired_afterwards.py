"""Divided first and repaired afterwards: what a mean of nothing is, is replaced.

The contract: "If every target is IGNORED the loss is zero, and so are the gradients that flow
back."
"""

import torch

IGNORED = -100


def shift(tokens, lengths):
    inputs = tokens[:, :-1]
    targets = tokens[:, 1:].clone()
    for row, length in zip(targets, lengths):
        row[int(length) - 1 :] = IGNORED
    return inputs, targets


def token_losses(logits, targets):
    scores = logits - logits.amax(dim=-1, keepdim=True)
    chances = scores - scores.exp().sum(dim=-1, keepdim=True).log()
    safe = torch.where(targets == IGNORED, torch.zeros_like(targets), targets)
    picked = torch.take_along_dim(chances, safe[..., None], dim=-1)[..., 0]
    return torch.where(targets == IGNORED, torch.zeros_like(picked), -picked)


def next_token_loss(logits, targets):
    losses = token_losses(logits, targets)
    count = losses.new_tensor(torch.count_nonzero(targets - IGNORED).item())
    return torch.nan_to_num(losses.sum() / count, nan=0.0)
