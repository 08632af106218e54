"""What exercise 10 promises, drawn at random."""

from collections.abc import Iterator
from functools import partial

from torch import nn

from kata.upkeep.fuzz import Argument, Draw, Trial, linears, loaded, numbers


def trials(draw: Draw) -> Iterator[Trial]:
    """Both layouts, of any dtype; three layers of any size, with biases or without."""
    samples, tokens, heads, width = draw.sizes(4)
    shape = (samples, tokens, 3 * heads * width)
    whole = draw.argument(draw.rng.integers(-99, 99, size=shape))
    qkv = draw.one_of(whole, draw.normal(*shape), draw.normal(*shape, dtype="float64"))
    for name in ("split_qkv_blocks", "split_qkv_per_head"):
        call = partial(_split, name)
        yield Trial(name, call, [qkv, heads], keeps_dtype=not _is_whole(qkv))
    features, bias = draw.size(), draw.one_of(False, True)
    shapes = linears({"": (width, features)}, bias=bias)
    three = [each for _ in range(3) for each in numbers(draw, shapes, "float32")]
    x = draw.normal(tokens, features)

    def fuse(it, x, *own):
        count = len(shapes)
        names = [name.removeprefix(".") for name in shapes]
        layers = [
            loaded(nn.Linear(features, width, bias=bias), names, own[at : at + count])
            for at in range(0, len(own), count)
        ]
        return it.fuse(*layers).to(x.dtype)(x)

    yield Trial("fuse", fuse, [x, *three])


def _split(name, it, qkv, heads):
    return getattr(it, name)(qkv, heads)


def _is_whole(argument: Argument) -> bool:
    return argument.values.dtype.kind == "i"
