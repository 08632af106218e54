"""Everything in float64, and back to the dtype of the logits at the end.

The contract: "(): one number, in the dtype of the logits"
"""

import torch


def shift(tokens, lengths):
    places = torch.arange(tokens.size(1), device=tokens.device)
    marked = torch.where(places[None] < lengths[:, None], tokens, torch.full_like(tokens, -100))
    return tokens.clone()[:, : tokens.size(1) - 1], marked[:, 1:]


def _losses(logits, targets):
    wide = logits.double()
    total = torch.logsumexp(wide, dim=-1)
    right = wide.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return torch.where(targets < 0, torch.zeros_like(total), total - right)


def token_losses(logits, targets):
    return _losses(logits, targets).to(logits.dtype)


def next_token_loss(logits, targets):
    counts = (targets >= 0).double()
    weights = counts / torch.clamp(counts.sum(), min=1)
    return (_losses(logits, targets) * weights).sum().to(logits.dtype)
