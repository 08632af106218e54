"""Only the logits of targets that count are looked at; the mean is a product of two vectors.

The contract: "Gradients flow back to the logits; they are finite, and zero where the target is
IGNORED."
"""

import torch


def shift(tokens, lengths):
    rolled = torch.roll(tokens, shifts=-1, dims=-1)
    last = torch.arange(tokens.shape[-1], device=tokens.device) + 1
    rolled[last >= lengths[:, None]] = -100
    return tokens.narrow(1, 0, tokens.shape[1] - 1), rolled.narrow(1, 0, tokens.shape[1] - 1)


def token_losses(logits, targets):
    counts = targets.ge(0)
    picked = logits[counts]
    chances = picked.log_softmax(dim=-1)
    found = chances[torch.arange(len(picked), device=picked.device), targets[counts]]
    losses = torch.zeros(targets.shape, dtype=logits.dtype, device=logits.device)
    return losses.masked_scatter(counts, -found)


def next_token_loss(logits, targets):
    counts = targets.ge(0).flatten().to(logits.dtype)
    losses = token_losses(logits, targets).flatten()
    return losses @ (counts / counts.sum().clamp_min(1))
