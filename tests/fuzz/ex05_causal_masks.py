"""What exercise 05 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Argument, Draw, Trial, broadcastable

DTYPES = ("float16", "float32", "float64")


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks of every shape that broadcasts, scores far apart, rows that may attend to nothing."""
    size = draw.size(9)
    yield Trial("causal_mask", lambda it, size: it.causal_mask(size), [size])
    lengths = draw.rng.integers(0, size + 1, size=draw.size())
    lengths = draw.argument(lengths.astype(draw.one_of("int64", "int32", "uint8")))
    yield Trial("padding_mask", lambda it, *a: it.padding_mask(*a), [lengths, size])
    shape = (*draw.leading(), draw.size(), draw.size())
    yield _scores(draw, shape)
    yield _weights(draw, shape)
    yield _attention(draw, shape)


def _scores(draw: Draw, shape: tuple[int, ...]) -> Trial:
    dtype, size = draw.one_of(*DTYPES), draw.one_of(1, 300)
    values = np.clip(size * draw.rng.standard_normal(shape), -1000, 1000).astype(dtype)
    arguments = [draw.argument(values, grad=True), draw.mask(broadcastable(shape))]

    def call(it, scores, mask):
        masked = it.mask_scores(scores, mask)
        return masked.softmax(dim=-1)

    tolerance = 1 if dtype == "float64" else size
    return Trial("mask_scores", call, arguments, tolerance, keeps_dtype=True, zeros=size == 1)


def _weights(draw: Draw, shape: tuple[int, ...]) -> Trial:
    dtype = draw.one_of(*DTYPES)
    scores = draw.rng.standard_normal(shape)
    shares = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    arguments = [
        draw.argument(shares.astype(dtype), grad=True),
        draw.mask(broadcastable(shape), empty=True),
    ]
    call = lambda it, *a: it.mask_weights(*a)
    return Trial("mask_weights", call, arguments, 4, keeps_dtype=True, zeros=True)


def _attention(draw: Draw, shape: tuple[int, ...]) -> Trial:
    *lead, queries, keys = shape
    dtype, size = draw.one_of("float32", "float64"), draw.one_of(1, 1, 20, 1000)
    width = draw.size()
    inputs: list[Argument | None] = [
        draw.normal(*lead, queries, width, scale=size, dtype=dtype),
        draw.normal(*lead, keys, width, dtype=dtype),
        draw.normal(*lead, keys, draw.size(), dtype=dtype),
    ]
    mask = draw.mask(broadcastable(shape), empty=True)
    call = lambda it, *a: it.masked_attention(*a)
    arguments = [*inputs, draw.one_of(mask, mask, mask, None)]
    return Trial("masked_attention", call, arguments, size, keeps_dtype=True)
