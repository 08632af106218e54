"""A proof for exercise 10, from its contract alone."""

import torch
from torch import nn

from exercises.ex10_fused_qkv import fuse, split_qkv_blocks, split_qkv_per_head


def layers(bias=True):
    """Three projections from 5 to 6 features."""
    return [nn.Linear(5, 6, bias=bias) for _ in range(3)]


def test_three_blocks():
    qkv = torch.randn(2, 5, 36)
    for number, part in enumerate(split_qkv_blocks(qkv, 3)):
        for head in range(3):
            start = 12 * number + 4 * head
            assert torch.equal(part[:, head], qkv[..., start : start + 4])


def test_three_parts_per_head():
    qkv = torch.randn(2, 5, 36)
    for number, part in enumerate(split_qkv_per_head(qkv, 3)):
        for head in range(3):
            start = 12 * head + 4 * number
            assert torch.equal(part[:, head], qkv[..., start : start + 4])


def test_one_layer_computes_what_three_do():
    for bias in (True, False):
        three = layers(bias)
        x = torch.randn(2, 5)
        right = torch.cat([each(x) for each in three], dim=-1)
        fused = fuse(*three)
        assert torch.allclose(fused(x), right, atol=1e-5)
        assert (fused.bias is not None) == bias


def test_the_copies_are_trained_alone():
    three = layers()
    fused = fuse(*three)
    assert all(each.requires_grad for each in fused.parameters())
    nn.init.zeros_(three[0].weight)
    nn.init.zeros_(three[0].bias)
    assert fused.weight[:6].any()
    assert fused.bias[:6].any()
