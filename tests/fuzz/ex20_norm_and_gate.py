"""What exercise 20 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers


def trials(draw: Draw) -> Iterator[Trial]:
    """A norm on rows of any size and dtype; a network with gates of any size."""
    yield _norm(draw)
    yield _network(draw)


def _norm(draw: Draw) -> Trial:
    """Rows of zeros and of numbers between thousandths and thousands; weight in any dtype."""
    width, eps = draw.size(), draw.one_of(1e-6, 1e-3, 0.5)
    dtype, own = (draw.one_of("float16", "float32", "float64") for _ in range(2))
    size = draw.one_of(0.0, 1e-3, 1.0, 1e4)
    rows = size * draw.rng.standard_normal((*draw.leading(), width))
    # Gradients of tiny rows are a thousand times what is sent back: too much for float16.
    x = draw.argument(np.clip(rows, -6e4, 6e4).astype(dtype), grad=dtype != "float16")
    shapes, training = {"weight": (width,)}, draw.one_of(False, True)

    def call(it, x, *weight):
        return loaded(it.RMSNorm(width, eps), list(shapes), weight).train(training)(x)

    rounding = 10 if "float16" not in (dtype, own) and dtype != own else 5
    return Trial("RMSNorm", call, [x, *numbers(draw, shapes, own)], rounding, keeps_dtype=True)


def _network(draw: Draw) -> Trial:
    """Any dimensions before the features, none included."""
    width, hidden = draw.sizes(2)
    layers = {"w_gate": (hidden, width), "w_up": (hidden, width), "w_down": (width, hidden)}
    dtype, shapes = draw.one_of("float32", "float64"), linears(layers, bias=False)
    x = draw.normal(*draw.leading(), width, scale=draw.one_of(1.0, 1.0, 300.0), dtype=dtype)
    training = draw.one_of(False, True)

    def call(it, x, *own):
        return loaded(it.SwiGLU(width, hidden), list(shapes), own).train(training)(x)

    return Trial("SwiGLU", call, [x, *numbers(draw, shapes, dtype)], keeps_dtype=True)
