"""A proof for exercise 07, from its contract alone."""

import pytest
import torch

from exercises.ex07_heads import merge_heads, split_heads


def test_each_head_gets_its_block():
    for dtype in (torch.float32, torch.int64, torch.bool):
        x = torch.randn(2, 5, 12).to(dtype)
        heads = split_heads(x, 3)
        assert heads.shape == (2, 3, 5, 4)
        assert heads.dtype == dtype
        assert all(torch.equal(heads[:, h], x[..., 4 * h : 4 * h + 4]) for h in range(3))


def test_heads_stand_side_by_side():
    heads = torch.randn(2, 3, 5, 4)
    assert torch.equal(merge_heads(heads), torch.cat(heads.unbind(1), dim=-1))


def test_inputs_need_not_be_contiguous():
    x = torch.randn(2, 12, 5).mT
    assert torch.equal(merge_heads(split_heads(x, 3)), x)
    assert torch.equal(split_heads(x, 3), split_heads(x.contiguous(), 3))


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        split_heads(torch.zeros(2, 5, 10), 4)


def test_no_argument_is_changed():
    x, heads = torch.randn(2, 5, 12), torch.randn(2, 3, 5, 4)
    before = x.clone(), heads.clone()
    split_heads(x, 3)
    merge_heads(heads)
    assert torch.equal(x, before[0])
    assert heads.shape == before[1].shape
    assert torch.equal(heads, before[1])
