"""PyTorch's own cross-entropy, kept from dividing by zero.

The contract: "If every target is IGNORED the loss is zero, and so are the gradients that flow
back."
"""

import torch
import torch.nn.functional as F


def shift(tokens, lengths):
    targets = tokens[:, 1:].clone()
    places = torch.arange(targets.shape[1], device=tokens.device)
    targets[places >= lengths.unsqueeze(1).long() - 1] = -100
    return tokens[:, :-1].clone(), targets


def token_losses(logits, targets):
    flat = logits.reshape(-1, logits.shape[-1])
    return F.cross_entropy(flat, targets.reshape(-1), reduction="none").reshape(targets.shape)


def next_token_loss(logits, targets):
    total = F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), reduction="sum"
    )
    return total / max(1, int((targets != -100).sum()))
