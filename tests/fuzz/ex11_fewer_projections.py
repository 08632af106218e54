"""What exercise 11 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks, linears, loaded, numbers


def trials(draw: Draw) -> Iterator[Trial]:
    """With a projection of the keys and without, under masks of two, three and four dimensions."""
    samples, tokens, heads, width = draw.sizes(4)
    model, dtype = heads * width, "float32"
    keys, training, size = draw.one_of(True, False), draw.one_of(True, False), draw.one_of(1, 500)
    names = ("w_query", "w_key", "w_out") if keys else ("w_query", "w_out")
    shapes = linears(dict.fromkeys(names, (model, model)), bias=True)
    own = numbers(draw, shapes, dtype)
    own[0].values[...] *= size
    mask = draw.mask(head_masks(samples, heads, tokens, tokens))

    def call(it, x, mask, *own):
        module = it.FewerProjections(model, heads, keys)
        return loaded(module, list(shapes), own).train(training)(x, mask)

    x = draw.normal(samples, tokens, model, dtype=dtype)
    yield Trial("FewerProjections", call, [x, draw.one_of(mask, mask, None), *own], size)
    asked = [int(draw.rng.integers(1, 10**9)), keys, draw.one_of(True, False)]
    yield Trial("parameter_count", lambda it, *a: it.parameter_count(*a), asked)
