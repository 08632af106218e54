"""Exercise 24: from a model's logits to text."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

from collections.abc import Callable
import math

import torch
from torch import Tensor


def token_probabilities(logits: Tensor, temperature: float = 1.0) -> Tensor:
    largest = logits.max(dim=-1, keepdim=True).values
    if temperature == 0:
        is_largest = logits == largest
        first = is_largest & (is_largest.cumsum(dim=-1) == 1)
        return first.to(logits.dtype)
    return torch.softmax((logits - largest) / temperature, dim=-1)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    k = min(k, logits.shape[-1])
    smallest = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < smallest, -math.inf)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    if p >= 1:
        return logits.clone()
    ordered, order = logits.double().sort(dim=-1, descending=True)
    probabilities = torch.softmax(ordered, dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities
    drop_ordered = before >= p
    drop = torch.zeros_like(drop_ordered).scatter(-1, order, drop_ordered)
    return logits.masked_fill(drop, -math.inf)


def pick(probabilities: Tensor, draws: Tensor) -> Tensor:
    ends = probabilities.double().cumsum(dim=-1)
    passed = ends <= draws.double().unsqueeze(-1)
    tokens = passed.sum(dim=-1)
    numbers = torch.arange(probabilities.shape[-1], device=probabilities.device)
    last = (numbers * (probabilities > 0)).amax(dim=-1)
    return torch.minimum(tokens, last)


def generate(
    model: Callable[[Tensor], Tensor], tokens: Tensor, steps: int, context_length: int
) -> Tensor:
    texts = tokens.clone()
    for _ in range(steps):
        with torch.no_grad():
            logits = model(texts[:, -context_length:])
        new = logits[:, -1].argmax(dim=-1, keepdim=True)
        texts = torch.cat([texts, new], dim=1)
    return texts
