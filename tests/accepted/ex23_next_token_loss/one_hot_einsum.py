"""A table of ones and zeros for the targets: what is ignored has a row of zeros.

The contract: "tokens from 0 to V − 1, or IGNORED, as shift gives them for int64 tokens."
"""

import torch


def shift(tokens, lengths):
    size = tokens.size(1)
    table = torch.ones(size + 1, size, dtype=torch.bool, device=tokens.device).tril(-1)
    real = table[lengths.long()]
    return tokens[:, :-1], torch.where(real, tokens, tokens.new_tensor(-100))[:, 1:]


def _asked(logits, targets):
    vocabulary = torch.arange(logits.size(-1), device=logits.device)
    return (targets[..., None] == vocabulary).to(logits.dtype)


def token_losses(logits, targets):
    return -torch.einsum("...v,...v->...", logits.log_softmax(-1), _asked(logits, targets))


def next_token_loss(logits, targets):
    asked = _asked(logits, targets)
    total = torch.einsum("btv,btv->", logits.log_softmax(-1), asked)
    return -total / asked.sum().clamp(min=1.0)
