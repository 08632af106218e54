"""What exercise 03 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value")


def trials(draw: Draw) -> Iterator[Trial]:
    """Any leading dimensions, any widths, matrices that need not be contiguous."""
    d_in, d_out, dtype = draw.size(), draw.size(), "float32"
    size = draw.one_of(1, 1, 50)  # of the scores
    x = draw.normal(*draw.leading(), draw.size(), d_in, dtype=dtype)
    weights = [draw.normal(d_in, d_out, scale=d_in**-0.5, dtype=dtype) for _ in NAMES]
    weights[0] = draw.normal(d_in, d_out, scale=size * d_in**-0.5, dtype=dtype)
    yield Trial("self_attention", lambda it, *a: it.self_attention(*a), [x, *weights], size)
    bias, training = draw.one_of(False, True), draw.one_of(False, True)
    shapes = linears(dict.fromkeys(NAMES, (d_out, d_in)), bias=bias)

    def call(it, x, *own):
        module = loaded(it.SelfAttention(d_in, d_out, bias=bias), list(shapes), own)
        return module.train(training)(x)

    yield Trial("SelfAttention", call, [x, *numbers(draw, shapes, dtype)])
