"""What exercise 09 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value", "w_out")


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks of two, three and four dimensions, any of whose sizes may be 1."""
    samples, queries, keys, heads, width = draw.sizes(5)
    model, dtype = heads * width, draw.one_of("float32", "float64")
    size = draw.one_of(1, 1, 500)
    bias, training = draw.one_of(False, True), draw.one_of(False, True)
    shapes = linears(dict.fromkeys(NAMES, (model, model)), bias=bias)
    own = numbers(draw, shapes, dtype)
    own[0].values[...] *= size
    mask = draw.mask(head_masks(samples, heads, queries, keys))
    inputs = [draw.normal(samples, each, model, dtype=dtype) for each in (queries, keys, keys)]

    def call(it, query, key, value, mask, *own):
        module = loaded(it.MultiHeadAttention(model, heads, bias=bias), list(shapes), own)
        output, weights = module.train(training)(query, key, value, mask)
        return output, weights.detach()  # gradients through the weights are not promised

    arguments = [*inputs, draw.one_of(mask, mask, mask, None), *own]
    yield Trial("MultiHeadAttention", call, arguments, size, keeps_dtype=True)
