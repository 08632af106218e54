"""A proof for exercise 25, from its contract alone."""

import pytest
import torch

from exercises.ex25_grouped_queries import GroupedQueryAttention, cache_size, repeat_heads


def by_hand(module, x, heads, groups, mask):
    """One head of queries after the other, from the module's own layers."""
    q, k, v = module.w_query(x), module.w_key(x), module.w_value(x)
    width, outputs, maps = x.shape[-1] // heads, [], []
    for head in range(heads):
        group = head // (heads // groups)
        own, shared = (
            slice(head * width, (head + 1) * width),
            slice(group * width, (group + 1) * width),
        )
        scores = q[..., own] @ k[..., shared].mT / width**0.5
        maps.append(scores.masked_fill(~mask[:, head], -torch.inf).softmax(-1))
        outputs.append(maps[-1] @ v[..., shared])
    return module.w_out(torch.cat(outputs, dim=-1)), torch.stack(maps, dim=1)


def test_copies_are_neighbours():
    x = torch.randn(2, 3, 5, 4, requires_grad=True)
    copies = repeat_heads(x, 2)
    assert torch.equal(copies, x[:, [0, 0, 1, 1, 2, 2]])
    copies.sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2.0))


def test_cache_size():
    assert cache_size(3, 2, 8, 50) == 2 * 3 * 2 * 8 * 50


def test_neighbouring_heads_share_under_every_mask():
    for groups in (1, 2, 3, 6):
        module = GroupedQueryAttention(48, 6, groups, bias=True)
        x, one = torch.randn(4, 5, 48), torch.eye(5).bool()
        assert module.w_key.weight.shape == module.w_value.weight.shape == (8 * groups, 48)
        for mask in (torch.ones(5, 5).tril().bool(), (torch.rand(4, 6, 5, 5) < 0.5) | one):
            right = by_hand(module, x, 6, groups, mask.expand(4, 6, 5, 5))
            for got, expected in zip(module(x.clone(), mask), right, strict=True):
                assert torch.allclose(got, expected, atol=1e-5)


def test_no_bias_and_no_mask_by_default():
    module, x = GroupedQueryAttention(12, 6, 2), torch.randn(3, 5, 12)
    assert set(module.state_dict()) == {f"w_{n}.weight" for n in ("query", "key", "value", "out")}
    right = by_hand(module, x, 6, 2, torch.ones(3, 6, 5, 5).bool())
    for got, expected in zip(module(x), right, strict=True):
        assert torch.allclose(got, expected, atol=1e-5)


def test_sizes_that_do_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        GroupedQueryAttention(10, 4, 2)
    with pytest.raises(ValueError, match=r"(?s)(6.*4|4.*6)"):
        GroupedQueryAttention(12, 6, 4)
