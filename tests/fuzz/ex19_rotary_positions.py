"""What exercise 19 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Tables of any base; features anywhere in memory, at any place of a table of any angles."""
    pairs, length = draw.size(), draw.one_of(1, 3, 50, 4097)
    base = draw.one_of(10_000.0, 500_000.0, 100.0, 1.5)
    # Promised to a thousandth; the rounding of float32 times this is that.
    yield Trial(
        "rotation_table", lambda it, *a: it.rotation_table(*a), [length, 2 * pairs, base], 5
    )
    yield _turned(draw, "rotate_pairs", pairs)
    yield _turned(draw, "rotate_halves", pairs)
    dtype = draw.one_of("float32", "float64", "int64")
    shape = (*draw.leading(), 2 * pairs)
    x = draw.argument(np.round(9 * draw.rng.standard_normal(shape)).astype(dtype))
    yield Trial("pairs_to_halves", lambda it, x: it.pairs_to_halves(x), [x], keeps_dtype=True)


def _turned(draw: Draw, name: str, pairs: int) -> Trial:
    """Both halves of the table in one argument each, so that cosines and sines belong together."""
    tokens, offset, more = draw.size(), draw.one_of(0, draw.size()), draw.one_of(0, draw.size())
    dtype, size = draw.one_of("float32", "float64"), draw.one_of(1, 1, 100)
    x = draw.normal(*draw.leading(), tokens, 2 * pairs, scale=size, dtype=dtype)
    angles = 3 * draw.rng.standard_normal((offset + tokens + more, pairs))
    angles = draw.argument(angles.astype("float32"))

    def call(it, x, angles):
        return getattr(it, name)(x, angles.float().cos(), angles.float().sin(), offset)

    # float64 is promised to 1e-5 of the largest, too.
    return Trial(name, call, [x, angles], 10 if dtype == "float64" else 1, keeps_dtype=True)
