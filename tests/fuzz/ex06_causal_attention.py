"""What exercise 06 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value")


def trials(draw: Draw) -> Iterator[Trial]:
    """Every length up to context_length, in both modes."""
    context, d_in, d_out = draw.size(9), draw.size(), draw.size()
    tokens = int(draw.rng.integers(1, context + 1))
    dtype, size = "float32", draw.one_of(1, 1, 1000)
    x = draw.normal(draw.size(), tokens, d_in, dtype=dtype)
    bias, training = draw.one_of(False, True), draw.one_of(False, True)
    shapes = linears(dict.fromkeys(NAMES, (d_out, d_in)), bias=bias)
    own = numbers(draw, shapes, dtype)
    own[0].values[...] *= size

    def call(it, x, *own):
        module = it.CausalAttention(d_in, d_out, context, bias=bias)
        return loaded(module, list(shapes), own).train(training)(x)

    yield Trial("CausalAttention", call, [x, *own], size)
