"""What exercise 16 promises, drawn at random."""

from collections.abc import Iterator

from kata.upkeep.fuzz import Draw, Trial, head_masks


def trials(draw: Draw) -> Iterator[Trial]:
    """Masks of two, three and four dimensions, weights that need not be contiguous."""
    samples, tokens, heads, width = draw.sizes(4)
    model, dtype, size = heads * width, "float64", draw.one_of(1, 1, 500)
    x = draw.normal(samples, tokens, model, dtype=dtype)
    yield Trial("split_heads", lambda it, *a: it.split_heads(*a), [x, heads])
    split = draw.normal(samples, heads, tokens, width, dtype=dtype)
    yield Trial("merge_heads", lambda it, x: it.merge_heads(x), [split])
    scales = (size * model**-0.5, *[model**-0.5] * 3)
    weights = [draw.normal(model, model, scale=scale, dtype=dtype) for scale in scales]
    mask = draw.mask(head_masks(samples, heads, tokens, tokens))
    arguments = [x, *weights, heads, draw.one_of(mask, mask, None)]
    call = lambda it, *a: it.multi_head_attention(*a)
    yield Trial("multi_head_attention", call, arguments, 200 * size)  # float32 inside is free
