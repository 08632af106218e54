"""What exercise 25 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value", "w_out")


def trials(draw: Draw) -> Iterator[Trial]:
    """Heads anywhere in memory; groups of any size under masks of two and of four dimensions."""
    times, dtype = draw.size(), draw.one_of("float32", "float64", "int64")
    heads = draw.argument(np.round(9 * draw.rng.standard_normal(draw.sizes(4))).astype(dtype))
    yield Trial("repeat_heads", lambda it, x: it.repeat_heads(x, times), [heads], keeps_dtype=True)
    yield _module(draw)


def _module(draw: Draw) -> Trial:
    samples, tokens, groups, times, width = draw.sizes(5)
    heads, dtype = groups * times, draw.one_of("float32", "float64")
    model, bias = heads * width, draw.one_of(False, True)
    outputs = (model, groups * width, groups * width, model)
    shapes = linears(
        {name: (out, model) for name, out in zip(NAMES, outputs, strict=True)}, bias=bias
    )
    own = numbers(draw, shapes, dtype)
    many = [(a, b, c, tokens) for a in (1, samples) for b in (1, heads) for c in (1, tokens)]
    mask = draw.mask([(tokens, tokens), (1, tokens), *many])

    def call(it, x, mask, *own):
        module = loaded(it.GroupedQueryAttention(model, heads, groups, bias), list(shapes), own)
        output, weights = module(x, mask)
        return output, weights.detach()  # gradients through the weights are not promised

    x = draw.normal(samples, tokens, model, dtype=dtype)
    arguments = [x, draw.one_of(mask, mask, None), *own]
    return Trial("GroupedQueryAttention", call, arguments, keeps_dtype=True)
