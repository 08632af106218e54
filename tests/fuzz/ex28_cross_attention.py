"""What exercise 28 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks, linears, loaded, numbers

PROJECTIONS = [
    f"{attention}.{name}"
    for attention in ("self_attention", "cross_attention")
    for name in ("w_query", "w_key", "w_value", "w_out")
]


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks as exercise 09 takes them; x and memory vary so much that no eps matters."""
    samples, tokens, places, heads = draw.sizes(4)
    width, hidden = draw.one_of(2, 3, 4), draw.size()
    model, dtype = 2 * heads * width, "float32"
    training = draw.one_of(False, True)
    sizes = dict.fromkeys(PROJECTIONS, (model, model))
    sizes |= {"feed_forward.linear1": (hidden, model), "feed_forward.linear2": (model, hidden)}
    shapes = linears(sizes, bias=True)
    shapes |= {f"norm{n}.{name}": (model,) for n in (1, 2, 3) for name in ("gamma", "beta")}
    own = numbers(draw, shapes, dtype)
    for name, each in zip(shapes, own, strict=True):
        each.values[...] += 4 * name.endswith("gamma")
    mask = draw.mask(head_masks(samples, heads, tokens, places))

    def call(it, x, memory, mask, *own):
        module = it.DecoderLayer(model, heads, hidden, 0.0 if training else 0.3)
        return loaded(module, list(shapes), own).train(training)(x, memory, mask)

    x = draw.normal(samples, tokens, model, scale=4, dtype=dtype)
    memory = draw.normal(samples, places, model, scale=4, dtype=dtype)
    arguments = [x, memory, draw.one_of(mask, mask, None), *own]
    yield Trial("DecoderLayer", call, arguments, tolerance=5)
