"""What exercise 13 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, linears, loaded, numbers


def trials(draw: Draw) -> Iterator[Trial]:
    """Any dimensions before the features, none included."""
    width, hidden = draw.sizes(2)
    dtype, training = "float32", draw.one_of(False, True)
    shapes = linears({"linear1": (hidden, width), "linear2": (width, hidden)}, bias=True)
    x = draw.normal(*draw.leading(), width, dtype=dtype)

    def call(it, x, *own):
        dropout = 0.0 if training else 0.4
        module = it.FeedForward(width, hidden, dropout)
        return loaded(module, list(shapes), own).train(training)(x)

    yield Trial("FeedForward", call, [x, *numbers(draw, shapes, dtype)])
