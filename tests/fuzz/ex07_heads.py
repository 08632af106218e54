"""What exercise 07 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Any number of samples, tokens, heads and features."""
    samples, tokens, heads, width = draw.sizes(4)
    dtype = draw.one_of("float32", "float64")
    x = draw.normal(samples, tokens, heads * width, dtype=dtype)
    yield Trial("split_heads", lambda it, *a: it.split_heads(*a), [x, heads])
    x = draw.normal(samples, heads, tokens, width, dtype=dtype)
    yield Trial("merge_heads", lambda it, *a: it.merge_heads(*a), [x])
