"""What exercise 14 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks, linears, loaded, numbers

PROJECTIONS = [f"attention.{name}" for name in ("w_query", "w_key", "w_value", "w_out")]


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks as exercise 09 takes them; x varies so much that no eps matters."""
    samples, tokens, heads = draw.sizes(3)
    width, hidden = draw.one_of(2, 3, 4), draw.size()
    model, dtype = 2 * heads * width, "float32"
    training = draw.one_of(False, True)
    sizes = dict.fromkeys(PROJECTIONS, (model, model))
    sizes |= {"feed_forward.linear1": (hidden, model), "feed_forward.linear2": (model, hidden)}
    shapes = linears(sizes, bias=True)
    shapes |= {f"norm{n}.{name}": (model,) for n in (1, 2) for name in ("gamma", "beta")}
    own = numbers(draw, shapes, dtype)
    for name, each in zip(shapes, own, strict=True):
        each.values[...] += 4 * name.endswith("gamma")
    mask = draw.mask(head_masks(samples, heads, tokens, tokens))

    def call(it, x, mask, *own):
        module = it.EncoderLayer(model, heads, hidden, 0.0 if training else 0.3)
        return loaded(module, list(shapes), own).train(training)(x, mask)

    x = draw.normal(samples, tokens, model, scale=4, dtype=dtype)
    arguments = [x, draw.one_of(mask, mask, None), *own]
    yield Trial("EncoderLayer", call, arguments, tolerance=5)
