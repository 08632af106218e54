"""What exercise 22 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

ATTENTION = [f"attention.{name}" for name in ("w_query", "w_key", "w_value", "w_out")]


def trials(draw: Draw) -> Iterator[Trial]:
    """A cache of any length or none, and a text in parts that follows it."""
    samples, heads, tokens, cached = draw.sizes(4)
    model, hidden = 2 * heads * draw.size(4), draw.size(9)
    context = cached + tokens + draw.size() - 1
    first = int(draw.rng.integers(1, tokens + 1))
    dropout, training = draw.one_of((0.0, True), (0.0, False), (0.5, False), (1.0, True))
    sizes = dict.fromkeys(ATTENTION, (model, model))
    sizes |= dict.fromkeys(("feed_forward.w_gate", "feed_forward.w_up"), (hidden, model))
    sizes |= {"feed_forward.w_down": (model, hidden)}
    shapes = linears(sizes, bias=False) | dict.fromkeys(("norm1.weight", "norm2.weight"), (model,))
    own = numbers(draw, shapes, "float32")

    def call(it, x, keys, values, *own):
        module = loaded(it.DecoderBlock(model, heads, hidden, context, dropout), list(shapes), own)
        cache, outputs = (None if keys is None else (keys, values)), []
        for part in (x[:, :first], x[:, first:]):
            if part.size(1):
                output, cache = module.train(training)(part, cache)
                outputs.append(output)
        return outputs, cache

    x = draw.normal(samples, tokens, model)
    shape = (samples, heads, cached, model // heads)
    cache = draw.one_of([draw.normal(*shape), draw.normal(*shape)], [None, None])
    yield Trial("DecoderBlock", call, [x, *cache, *own])
