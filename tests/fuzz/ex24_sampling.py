"""What exercise 24 promises, drawn at random."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor

from kata.upkeep.fuzz import Argument, Draw, Trial

DTYPES = ("float32", "float64")


def trials(draw: Draw) -> Iterator[Trial]:
    """Rows of any length, logits that are left out, draws at both ends, and a model that sums."""
    shape = (*draw.leading(), draw.size(12))
    yield _probabilities(draw, shape)
    yield _top_k(draw, shape)
    yield _top_p(draw, shape)
    yield _pick(draw, shape)
    yield _generate(draw)


def _anywhere(draw: Draw, values: Any) -> Argument:
    """Anywhere in memory, but not expanded: rows have to stay as they were drawn."""
    argument = draw.argument(values)
    return argument if argument.layout != "expanded" else Argument(np.asarray(values))


def _logits(draw: Draw, shape: tuple[int, ...], step: float) -> Any:
    """Logits of each row in any order, about one step from one another."""
    places = draw.rng.random(shape).argsort(-1)
    return step * (places + 0.3 * draw.rng.random(shape) - shape[-1] / 2)


def _left_out(draw: Draw, logits: Any) -> Any:
    """Some of them minus infinity; the largest of each row stays."""
    some = draw.rng.random(logits.shape) < draw.one_of(0, 0, 0.4)
    return np.where(some & (logits < logits.max(-1, keepdims=True)), -math.inf, logits)


def _kept(logits: Tensor) -> list[Tensor]:
    """Which are minus infinity, and what the others are."""
    return [logits.isneginf().to(logits.dtype), logits.nan_to_num(neginf=0.0)]


def _probabilities(draw: Draw, shape: tuple[int, ...]) -> Trial:
    temperature, dtype = draw.one_of(0, 0.0, 0.01, 0.5, 1, 3.0), draw.one_of(*DTYPES)
    size = draw.one_of(1, 1, 800) * max(temperature, 0.05)
    logits = _left_out(draw, size * draw.rng.standard_normal(shape)).astype(dtype)
    if draw.one_of(True, False) and temperature == 0:
        logits = np.sign(logits)  # many that are equal
    call = lambda it, *a: it.token_probabilities(*a)
    arguments = [_anywhere(draw, logits), temperature]
    tolerance = 10 if size > 3 else 1
    return Trial("token_probabilities", call, arguments, tolerance, keeps_dtype=True)


def _top_k(draw: Draw, shape: tuple[int, ...]) -> Trial:
    logits = _logits(draw, shape, draw.one_of(1e-3, 1.0, 1e4)).astype(draw.one_of(*DTYPES))
    call = lambda it, *a: _kept(it.keep_top_k(*a))
    arguments = [_anywhere(draw, logits), draw.one_of(draw.size(15), shape[-1])]
    return Trial("keep_top_k", call, arguments, keeps_dtype=True)


def _top_p(draw: Draw, shape: tuple[int, ...]) -> Trial:
    middle = draw.one_of(0, 900, -900)
    logits = (_left_out(draw, _logits(draw, shape, draw.one_of(0.1, 1, 9))) + middle).astype(
        draw.one_of(*DTYPES)
    )
    powers = np.exp(logits.astype("float64") - logits.max(-1, keepdims=True))
    sums = -np.sort(-powers / powers.sum(-1, keepdims=True), axis=-1)
    p = draw.one_of(1, 1.0, 1e-12, 1e-3, float(draw.rng.random()), 0.5, 0.99)
    while p < 1 and np.abs(sums.cumsum(-1) - p).min() < 1e-4:
        p = min(1.0, p + 3e-4)
    call = lambda it, *a: _kept(it.keep_top_p(*a))
    return Trial("keep_top_p", call, [_anywhere(draw, logits), p], keeps_dtype=True)


def _pick(draw: Draw, shape: tuple[int, ...]) -> Trial:
    """Draws in the middle of parts that are not empty, and at both ends."""
    dtype = draw.one_of(*DTYPES)
    weights = draw.rng.integers(0, 4, shape).astype("float64")
    weights[..., draw.rng.integers(shape[-1])] += 1  # one that can come, at least
    probabilities = (weights / weights.sum(-1, keepdims=True)).astype(dtype)
    possible = draw.rng.random(shape) * (weights > 0)
    token = possible.argmax(-1)[..., None]
    ends = probabilities.cumsum(-1)
    middle = np.take_along_axis(ends - probabilities / 2, token, -1)[..., 0]
    last = 1 - np.finfo(dtype).epsneg
    kind = draw.rng.integers(4, size=shape[:-1])
    draws = np.choose(kind, [middle, middle, np.zeros_like(middle), np.full_like(middle, last)])
    call = lambda it, *a: it.pick(*a)
    arguments = [_anywhere(draw, probabilities), _anywhere(draw, draws.astype(dtype))]
    return Trial("pick", call, arguments)


def _generate(draw: Draw) -> Trial:
    """A model that sums what it reads, weighted by the place."""
    samples, length, vocabulary = draw.size(), draw.size(8), draw.size(9)
    context, steps = draw.size(8), draw.one_of(0, 1, 4)
    table = draw.rng.standard_normal((vocabulary, vocabulary))
    tokens = draw.rng.integers(vocabulary, size=(samples, length))

    def call(it: Any, tokens: Tensor) -> Any:
        numbers = tokens.new_tensor(table, dtype=Argument(table).tensors()[0].dtype)

        def model(read: Tensor) -> Tensor:
            assert 1 <= read.shape[1] <= context
            places = tokens.new_tensor(range(1, read.shape[1] + 1))[:, None]
            return (numbers[read] / places).cumsum(1)

        return it.generate(model, tokens, steps, context)

    return Trial("generate", call, [draw.argument(tokens)])
