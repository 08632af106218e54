"""What exercise 12 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz.given import Draw
from kata.upkeep.fuzz.modules import loaded, numbers
from kata.upkeep.fuzz.trial import Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Rows of any shape, one number included, of any size, and some of equal numbers."""
    shape = tuple(draw.sizes(draw.one_of(1, 1, 2, 3)))
    dtype, size = "float32", draw.one_of(1e-3, 1.0, 100.0)
    eps = draw.one_of(1e-5, 1e-3, 0.5)
    told = shape[0] if len(shape) == 1 and draw.one_of(True, False) else shape
    rows = size * draw.rng.standard_normal((*draw.leading(), *shape))
    if draw.one_of(False, False, True):
        rows = np.zeros_like(rows) + draw.one_of(0.0, 1.0, -3.0)
    x = draw.given(rows.astype(dtype), grad=True)
    shapes = {"gamma": shape, "beta": shape}
    training = draw.one_of(False, True)

    def call(it, x, *own):
        return loaded(it.LayerNorm(told, eps), list(shapes), own).train(training)(x)

    yield Trial("LayerNorm", call, [x, *numbers(draw, shapes, dtype)], tolerance=max(5, size))
