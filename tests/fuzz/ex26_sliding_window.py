"""What exercise 26 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value", "w_out")


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks of every size, caches of every length, texts in parts of every length."""
    sizes = [draw.size(9), draw.size(9), int(draw.rng.integers(9))]
    yield Trial("window_mask", lambda it, *a: it.window_mask(*a), sizes)
    yield _kept(draw)
    yield _written(draw)


def _kept(draw: Draw) -> Trial:
    dtype = draw.one_of("float16", "float32", "float64")
    shape = draw.sizes(4)
    arguments = [draw.normal(*shape, dtype=dtype), draw.normal(*shape, dtype=dtype), draw.size(8)]
    call = lambda it, keys, values, window: it.keep_last((keys, values), window)
    return Trial("keep_last", call, arguments, keeps_dtype=True)


def _written(draw: Draw) -> Trial:
    dtype, heads, window = draw.one_of("float32", "float64"), draw.size(3), draw.size()
    width, bias, parts = heads * draw.size(4), draw.one_of(False, True), draw.sizes(3)
    x = draw.normal(draw.size(3), sum(parts), width, dtype=dtype)
    shapes = linears(dict.fromkeys(NAMES, (width, width)), bias=bias)
    own = numbers(draw, shapes, dtype)

    def call(it, x, *own):
        module = loaded(it.WindowAttention(width, heads, window, bias), list(shapes), own)
        outputs, cache = [], None
        for part in x.split(parts, dim=1):
            output, cache = module(part, cache)
            outputs.append(output)
        return *outputs, *cache

    return Trial("WindowAttention", call, [x, *own], keeps_dtype=True)
