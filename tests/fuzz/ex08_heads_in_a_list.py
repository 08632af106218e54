"""What exercise 08 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value")


def trials(draw: Draw) -> Iterator[Trial]:
    """Any number of heads, in both modes."""
    samples, tokens, heads, width = draw.sizes(4)
    model, dtype = heads * width, "float32"
    x = draw.normal(samples, tokens, model, dtype=dtype)
    inside = {f"heads.{h}.{name}": (width, model) for h in range(heads) for name in NAMES}
    shapes = linears(inside | {"w_out": (model, model)}, bias=True)
    training = draw.one_of(False, True)

    def call(it, x, *own):
        return loaded(it.HeadsInAList(model, heads), list(shapes), own).train(training)(x)

    yield Trial("HeadsInAList", call, [x, *numbers(draw, shapes, dtype)])
