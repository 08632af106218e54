"""What exercise 01 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Scores of one dimension or more, along any axis, around ±10,000 and with -inf."""
    shape = (*draw.leading(), draw.size())
    axis = int(draw.rng.integers(-len(shape), len(shape)))
    one = [1 if at == axis % len(shape) else size for at, size in enumerate(shape)]
    centres = draw.rng.choice([0.0, 10_000.0, -10_000.0], size=one)
    spread = draw.one_of(0.0, 1.0, 300.0)
    scores = centres + spread * draw.rng.standard_normal(shape)
    hidden = draw.rng.random(shape) < draw.one_of(0.0, 0.4)
    first = np.indices(shape)[axis] == 0
    scores[hidden & ~first] = -np.inf
    argument = draw.argument(scores.astype(draw.one_of("float32", "float64")))
    yield Trial("softmax", lambda it, x: it.softmax(x, axis), [argument], 10, keeps_dtype=True)
    yield Trial("softmax", lambda it, x: it.softmax(x), [draw.argument(np.ones(shape))])
