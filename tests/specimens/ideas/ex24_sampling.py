"""Sampling as in nanoGPT, minGPT and x-transformers, for logits of shape (B, V)."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F


def token_probabilities(logits: Tensor, temperature: float = 1.0) -> Tensor:
    """Divide by the temperature, and take the softmax."""
    return F.softmax(logits / temperature, dim=-1)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row."""
    v, _ = torch.topk(logits, k)
    out = logits.clone()
    out[out < v[:, [-1]]] = -float("inf")
    return out


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the likeliest tokens of each row that reach p together."""
    sorted_logits, sorted_indices = torch.sort(logits, descending=True)
    cumulative = torch.cumsum(F.softmax(sorted_logits, dim=-1), dim=-1)
    remove = cumulative > p
    remove[:, 1:] = remove[:, :-1].clone()
    remove[:, 0] = False
    sorted_logits[remove] = -float("inf")
    return sorted_logits.scatter(1, sorted_indices, sorted_logits)


def pick(probabilities: Tensor, draws: Tensor) -> Tensor:
    """Pick the token on whose part of the line the draw falls."""
    cumulative = torch.cumsum(probabilities, dim=-1)
    return torch.searchsorted(cumulative, draws[:, None]).squeeze(1)


def generate(
    model: Callable[[Tensor], Tensor], tokens: Tensor, steps: int, context_length: int
) -> Tensor:
    """Add the likeliest token, step by step."""
    for _ in range(steps):
        logits = model(tokens[:, -context_length:])
        following = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, following), dim=1)
    return tokens
