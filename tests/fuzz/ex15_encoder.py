"""What exercise 15 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks, linears, loaded, numbers

PROJECTIONS = [f"attention.{name}" for name in ("w_query", "w_key", "w_value", "w_out")]


def trials(draw: Draw) -> Iterator[Trial]:
    """Any number of layers, masks as exercise 09 takes them."""
    samples, tokens, heads = draw.sizes(3)
    layers, hidden = draw.size(3), draw.size()
    model, dtype = 4 * heads, "float32"
    training = draw.one_of(False, True)
    sizes = dict.fromkeys(PROJECTIONS, (model, model))
    sizes |= {"feed_forward.linear1": (hidden, model), "feed_forward.linear2": (model, hidden)}
    inside = linears(sizes, bias=True)
    inside |= {f"norm{n}.{name}": (model,) for n in (1, 2) for name in ("gamma", "beta")}
    shapes = {f"layers.{n}.{name}": each for n in range(layers) for name, each in inside.items()}
    mask = draw.mask(head_masks(samples, heads, tokens, tokens))
    own = numbers(draw, shapes, dtype)
    for name, each in zip(shapes, own, strict=True):
        each.values[...] += 4 * name.endswith("gamma")

    def call(it, x, mask, *own):
        module = it.Encoder(model, heads, hidden, layers, 0.0 if training else 0.3)
        return loaded(module, list(shapes), own).train(training)(x, mask)

    x = draw.normal(samples, tokens, model, scale=4, dtype=dtype)
    arguments = [x, draw.one_of(mask, mask, None), *own]
    yield Trial("Encoder", call, arguments, tolerance=10)
