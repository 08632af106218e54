"""What exercise 23 promises, drawn at random."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kata.upkeep.fuzz import Argument, Draw, Trial

IGNORED = -100


def trials(draw: Draw) -> Iterator[Trial]:
    """Texts of every length, padded with anything; logits far apart; targets that are ignored."""
    yield _shift(draw)
    shape = draw.leading()
    yield _loss(draw, "token_losses", shape)
    yield _loss(draw, "next_token_loss", (draw.size(), draw.size()))


def _shift(draw: Draw) -> Trial:
    samples, size = draw.size(), draw.size(8) + 1
    tokens = draw.rng.integers(-1, 9, size=(samples, size))
    lengths = draw.rng.integers(1, size + 1, size=samples)
    arguments = [
        draw.argument(tokens.astype(draw.one_of("int32", "int64"))),
        draw.argument(lengths.astype(draw.one_of("int64", "int32", "uint8"))),
    ]
    call = lambda it, *a: it.shift(*a)
    return Trial("shift", call, arguments, keeps_dtype=True)


def _loss(draw: Draw, name: str, shape: tuple[int, ...]) -> Trial:
    dtype, size = draw.one_of("float32", "float64"), draw.one_of(1, 1, 15, 3000)
    vocabulary = draw.one_of(draw.size(9), 120)
    values = np.clip(size * draw.rng.standard_normal((*shape, vocabulary)), -10_000, 10_000)
    logits = draw.argument(values.astype(dtype), grad=True)

    def call(it: Any, *arguments: Any) -> Any:
        return getattr(it, name)(*arguments)

    arguments = [logits, _targets(draw, shape, vocabulary)]
    return Trial(name, call, arguments, size, keeps_dtype=True)


def _targets(draw: Draw, shape: tuple[int, ...], vocabulary: int) -> Argument:
    targets = draw.rng.integers(0, vocabulary, size=shape)
    hidden = draw.rng.random(shape) < draw.one_of(0.0, 0.4, 1.0)
    return draw.argument(np.where(hidden, IGNORED, targets))
