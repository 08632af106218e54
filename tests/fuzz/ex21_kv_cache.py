"""What exercise 21 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value", "w_out")


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks of all sizes; a cache of any length, and a text in parts that follows it, in the dtype
    of the module."""
    past, size = draw.size() - 1, draw.size()
    yield Trial("causal_mask_after", lambda it: it.causal_mask_after(past, size), [])
    samples, heads, tokens, cached = draw.sizes(4)
    model, context = 2 * heads * draw.size(4), cached + tokens + draw.size() - 1
    first = int(draw.rng.integers(1, tokens + 1))
    bias, training = draw.one_of(False, True), draw.one_of(False, True)
    dtype = draw.one_of("float32", "float32", "float64")
    shapes = linears(dict.fromkeys(NAMES, (model, model)), bias=bias)
    own = numbers(draw, shapes, dtype)

    def call(it, x, keys, values, *own):
        module = loaded(it.CachedAttention(model, heads, context, bias), list(shapes), own)
        cache, outputs = (None if keys is None else (keys, values)), []
        for part in (x[:, :first], x[:, first:]):
            if part.size(1):
                output, cache = module.train(training)(part, cache)
                outputs.append(output)
        return outputs, cache

    x = draw.normal(samples, tokens, model, dtype=dtype)
    shape = (samples, heads, cached, model // heads)
    cache = draw.one_of([draw.normal(*shape, dtype=dtype) for _ in "kv"], [None, None])
    tolerance = 10 if dtype == "float64" else 1  # the angles may come from float32
    yield Trial("CachedAttention", call, [x, *cache, *own], tolerance, keeps_dtype=True)
