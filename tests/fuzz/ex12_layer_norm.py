"""What exercise 12 promises, drawn at random."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kata.upkeep.fuzz import Draw, Trial, loaded, numbers


def trials(draw: Draw) -> Iterator[Trial]:
    """Rows of any shape, one number included, of any size, also far from zero or all alike."""
    shape = tuple(draw.sizes(draw.one_of(1, 1, 2, 3)))
    dtype, size = "float32", draw.one_of(1e-3, 1.0, 100.0)
    eps = draw.one_of(1e-5, 1e-3, 0.5)
    told = shape[0] if len(shape) == 1 and draw.one_of(True, False) else shape
    rows = size * draw.rng.standard_normal((*draw.leading(), *shape))
    if draw.one_of(False, False, True):
        rows = np.zeros_like(rows) + draw.one_of(0.0, 1.0, -3.0)
    x = draw.argument(rows.astype(dtype), grad=True)
    deviations = np.sqrt(x.values.var(tuple(range(-len(shape), 0))) + eps)
    far = draw.one_of(0, 0, -3000, 3000) * deviations.min()
    x = replace(x, values=(x.values + far).astype(dtype))
    shapes = {"gamma": shape, "beta": shape}
    training = draw.one_of(False, True)

    def call(it, x, *own):
        return loaded(it.LayerNorm(told, eps), list(shapes), own).train(training)(x)

    rounding = 50 if far else max(5, size)  # 50 allows a hundredth
    yield Trial("LayerNorm", call, [x, *numbers(draw, shapes, dtype)], rounding)
