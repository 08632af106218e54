"""What exercise 04 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """Any leading dimensions, the same for all three; scores of up to ±1,000."""
    lead, dtype, size = draw.leading(), draw.one_of("float32", "float64"), draw.one_of(1, 1, 150)
    queries, keys, width, features = draw.sizes(4)
    inputs = [
        draw.normal(*lead, queries, width, scale=size, dtype=dtype),
        draw.normal(*lead, keys, width, dtype=dtype),
        draw.normal(*lead, keys, features, dtype=dtype),
    ]
    name = "scaled_dot_product_attention"
    yield Trial(name, lambda it, *a: getattr(it, name)(*a), inputs, size, keeps_dtype=True)
