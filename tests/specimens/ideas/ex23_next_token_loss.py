"""The loss of a language model, as a textbook writes it."""

import torch
from torch import Tensor
from torch.nn import functional as F

IGNORED = -100


def shift(tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Read all tokens but the last; predict all but the first, and no padding."""
    inputs, targets = tokens[:, :-1], tokens[:, 1:].clone()
    places = torch.arange(targets.size(1), device=tokens.device)
    targets[places >= lengths.unsqueeze(1) - 1] = IGNORED
    return inputs, targets


def token_losses(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy wants the vocabulary in the second place."""
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=IGNORED, reduction="none")


def next_token_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Texts and places become one long row."""
    vocabulary = logits.size(-1)
    return F.cross_entropy(logits.view(-1, vocabulary), targets.view(-1), ignore_index=IGNORED)
