"""Exercise 24: from a model's logits to text.

A language model gives logits (..., V), also (V,): for each of V tokens, a score of how likely it
comes next.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor


def token_probabilities(logits: Tensor, temperature: float = 1.0) -> Tensor:
    """Divide the logits by the temperature, and give their softmax.

    Args:
        logits: (..., V), float32 or float64, between −10,000 and 10,000 or minus infinity; in each
            row at least one is finite. They are not changed, and need not be contiguous.
        temperature: a float or an int, 0 or at least 0.01. Below 1 likely tokens become likelier;
            0 is the limit: the largest logit, of equal ones the first, has probability one, and
            all others zero.

    Returns:
        (..., V), in the dtype of the logits; each row sums to one.

    >>> token_probabilities(torch.tensor([0.0, math.log(2)]), temperature=0.5)
    tensor([0.2000, 0.8000])
    """
    if temperature == 0:
        chosen = logits.argmax(dim=-1, keepdim=True)  # (..., 1)
        return torch.zeros_like(logits).scatter(-1, chosen, 1.0)  # (..., V)
    return (logits / temperature).softmax(dim=-1)  # (..., V)


def keep_top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row.

    Args:
        logits: (..., V), float32 or float64, finite; no two of a row are equal. They are not
            changed, and need not be contiguous.
        k: 1 or more; V or more keeps all.

    Returns:
        (..., V), in the dtype of the logits: the kept ones as they were, minus infinity for the
        others.

    >>> keep_top_k(torch.tensor([3.0, 1.0, 2.0]), 2).tolist()
    [3.0, -inf, 2.0]
    """
    kept = logits.topk(min(k, logits.size(-1)), dim=-1).values  # (..., k)
    return logits.masked_fill(logits < kept[..., -1:], -math.inf)  # (..., V)


def keep_top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the likeliest tokens of each row, as few as have probabilities that sum to p or more.

    Probabilities are the softmax of a row. The token with which the sum reaches p is kept, too, so
    that each row keeps at least one.

    Args:
        logits: (..., V), float32 or float64, between −1,000 and 1,000 or minus infinity; in each
            row at least one is finite, and those that are finite lie 0.001 or more apart. They are
            not changed, and need not be contiguous.
        p: a float or an int, above 0 and up to 1, which keeps all. Below 1, the sum of a row's n
            likeliest never comes closer to p than 1e-5, for any n from 1 to V.

    Returns:
        (..., V), in the dtype of the logits: the kept ones as they were, minus infinity for the
        others.

    >>> logits = torch.tensor([0.3, 0.5, 0.2]).log()
    >>> keep_top_p(logits, 0.6).exp()
    tensor([0.3000, 0.5000, 0.0000])
    """
    if p == 1:  # a sum that is rounded up must not drop the rest
        return logits
    ordered, places = logits.softmax(dim=-1).sort(dim=-1, descending=True)  # (..., V)
    before = ordered.cumsum(dim=-1) - ordered  # (..., V): what likelier tokens have together
    dropped = (before >= p).gather(-1, places.argsort(dim=-1))  # (..., V): in the tokens' order
    return logits.masked_fill(dropped, -math.inf)  # (..., V)


def pick(probabilities: Tensor, draws: Tensor) -> Tensor:
    """Pick a token for each row, by a random number that has been drawn for it.

    The tokens divide the line from 0 to 1 among them, in their order: each has a part as long as
    its probability. The one on whose part the draw falls is picked.

    Args:
        probabilities: (..., V), float32 or float64; each row sums to one, up to rounding. They are
            not changed, and need not be contiguous.
        draws: (...), in the dtype of the probabilities: from 0, which may occur, to 1, which does
            not. No draw comes closer than 1e-5 to the border between two parts that are not
            empty, so that rounding cannot decide; but a draw may be as close to 0 and to 1 as its
            dtype allows. They are not changed.

    Returns:
        int64 (...): the tokens. One with probability zero is never picked.

    >>> pick(torch.tensor([[0.25, 0.75], [0.25, 0.75]]), torch.tensor([0.1, 0.9])).tolist()
    [0, 1]
    """
    ends = probabilities.cumsum(dim=-1)  # (..., V)
    reached = draws.unsqueeze(-1) * ends[..., -1:]  # (..., 1): rounding never leads past the end
    return (ends <= reached).sum(dim=-1)  # (...)


def generate(
    model: Callable[[Tensor], Tensor], tokens: Tensor, steps: int, context_length: int
) -> Tensor:
    """Let a model continue texts, one token at a time: always the one with the largest logit.

    Args:
        model: called with int64 tokens (B, n), n from 1 to context_length, it gives logits
            (B, n, V); those at place t are about the token after it. It is called once for each
            step, in the mode that it is in, and stays in that mode.
        tokens: int64 (B, T), T at least 1: how the texts begin; there may be more than
            context_length. They are not changed, and need not be contiguous.
        steps: how many tokens are added to each text, 0 or more.
        context_length: the most tokens that the model can read, 1 or more. Of a
            longer text it reads the last context_length tokens.

    Returns:
        int64 (B, T + steps): the texts, with what was added at the end. Which of several equal
        logits counts as the largest is free.

    >>> def after(tokens):  # a model that gives the next number the largest logit
    ...     return torch.nn.functional.one_hot(tokens + 1, 10).float()
    >>> generate(after, torch.tensor([[3, 4]]), steps=3, context_length=2).tolist()
    [[3, 4, 5, 6, 7]]
    """
    for _ in range(steps):
        logits = model(tokens[:, -context_length:])  # (B, n, V)
        following = logits[:, -1].argmax(dim=-1, keepdim=True)  # (B, 1)
        tokens = torch.cat((tokens, following), dim=1)  # (B, T + 1)
    return tokens
