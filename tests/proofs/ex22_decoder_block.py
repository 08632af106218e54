"""A proof for exercise 22, from its contract alone."""

import pytest
import torch
from torch import nn

from exercises.ex20_norm_and_gate import RMSNorm, SwiGLU
from exercises.ex21_kv_cache import CachedAttention
from exercises.ex22_decoder_block import DecoderBlock


def made(dropout=0.5):
    """A block in evaluation mode, whose norms have scales of their own."""
    block = DecoderBlock(8, 2, 12, 16, dropout).eval()
    state = block.state_dict()
    for name in ("norm1.weight", "norm2.weight"):
        state[name] = 1.5 * torch.randn(8)
    block.load_state_dict(state)
    return block


def with_weights(part, block, name):
    """A part of an earlier exercise that has the block's weights; they stand under this name."""
    state = block.state_dict()
    own = {key: state[f"{name}.{key}"] for key, _ in part.named_parameters()}
    part.load_state_dict(own, strict=False)
    return part


def by_hand(block, x, cache=None):
    """Both steps, and the cache."""
    norm1, norm2 = (with_weights(RMSNorm(8), block, name) for name in ("norm1", "norm2"))
    attention = with_weights(CachedAttention(8, 2, 16), block, "attention")
    network = with_weights(SwiGLU(8, 12), block, "feed_forward")
    attended, cache = attention(norm1(x), cache)
    x = x + attended
    return x + network(norm2(x)), cache


def test_two_steps():
    block, x = made(), torch.randn(3, 4, 8)
    assert torch.allclose(block(x)[0], by_hand(block, x)[0], atol=1e-5)


def test_the_cache_goes_in_and_comes_out():
    block, x = made(), torch.randn(3, 5, 8)
    _, cache = by_hand(block, x[:, :3])
    output, (keys, values) = block(x[:, 3:], cache)
    right, (right_keys, right_values) = by_hand(block, x[:, 3:], cache)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(keys, right_keys, atol=1e-5)
    assert torch.allclose(values, right_values, atol=1e-5)


def test_dropout_of_one_leaves_x():
    x = torch.randn(3, 4, 8)
    assert torch.equal(made(dropout=1.0).train()(x)[0], x)


def test_x_is_not_changed():
    x = torch.randn(3, 4, 8)
    before = x.clone()
    made()(x)
    assert torch.equal(x, before)


def test_parts_and_their_names():
    names = dict(nn.Module.named_parameters(made(), remove_duplicate=True))
    assert {"norm1.weight", "norm2.weight", "attention.w_out.weight"} <= set(names)


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        DecoderBlock(10, 4, 12, 16)
