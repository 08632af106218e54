"""The vocabulary is moved to the second axis, where PyTorch's nll_loss expects it.

The contract: "There may be any number of leading dimensions, none included."
"""

import torch
from torch.nn import functional


def shift(tokens, lengths):
    inputs, targets = (
        tokens.split([tokens.size(1) - 1, 1], dim=1)[0],
        tokens.unfold(1, 2, 1)[..., 1],
    )
    ends = lengths.to(torch.int64).sub(1).view(-1, 1)
    behind = torch.ones_like(targets).cumsum(1) > ends
    return inputs, targets.masked_fill(behind, -100)


def token_losses(logits, targets):
    if logits.dim() == 1:
        return token_losses(logits[None], targets[None])[0]
    chances = functional.log_softmax(logits, dim=-1).movedim(-1, 1).contiguous()
    return functional.nll_loss(chances, targets.contiguous(), reduction="none")


def next_token_loss(logits, targets):
    if torch.all(targets == -100):
        return logits.sum() * 0.0
    return token_losses(logits, targets).sum() / torch.count_nonzero(targets != -100)
