"""A proof for exercise 21, from its contract alone."""

import pytest
import torch

from exercises.ex21_kv_cache import CachedAttention, causal_mask_after


def test_the_mask_for_any_past():
    for past, size in ((1, 2), (3, 2), (2, 4), (0, 3)):
        mask = causal_mask_after(past, size)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[s <= past + t for s in range(past + size)] for t in range(size)]


def by_hand(module, x, heads):
    """Output, keys and values of one call, from the module's own layers, one head at a time."""
    size, width = x.size(1), x.size(2) // heads
    speeds = 10_000.0 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(size)[:, None] * speeds
    turns = torch.polar(torch.ones_like(angles), angles)
    hidden = torch.ones(size, size).triu(1).bool()

    def split(layer):
        return torch.stack(layer(x).split(width, dim=-1), dim=1)

    def turned(part):
        pairs = torch.view_as_complex(part.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2)

    query, key, value = (
        turned(split(module.w_query)),
        turned(split(module.w_key)),
        split(module.w_value),
    )
    scores = (query @ key.mT / width**0.5).masked_fill(hidden, -torch.inf)
    contexts = scores.softmax(-1) @ value
    return module.w_out(torch.cat(contexts.unbind(1), dim=-1)), key, value


def test_a_text_in_parts_is_the_text_in_one_call():
    module, x = CachedAttention(12, 3, context_length=9), torch.randn(2, 9, 12)
    right = by_hand(module, x, heads=3)
    for sizes in ((9,), (5, 1, 1, 2), (2, 4, 3)):
        outputs, cache = [], None
        for part in x.split(sizes, dim=1):
            output, cache = module(part, cache)
            outputs.append(output)
        for got, expected in zip((torch.cat(outputs, dim=1), *cache), right, strict=True):
            assert torch.allclose(got, expected, atol=1e-5)


def test_the_module_keeps_nothing():
    module, x = CachedAttention(12, 3, context_length=9), torch.randn(2, 4, 12)
    first, _ = module(x)
    again, _ = module(x)
    assert torch.allclose(first, again, atol=1e-5)


def test_all_tokens_together_count():
    module = CachedAttention(12, 3, context_length=5)
    _, cache = module(torch.randn(2, 4, 12))
    with pytest.raises(ValueError, match=r"(?s)(6.*5|5.*6)"):
        module(torch.randn(2, 2, 12), cache)
