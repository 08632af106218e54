"""A proof for exercise 14, from its contract alone."""

import pytest
import torch
from torch.nn.functional import layer_norm

from exercises.ex09_multi_head_attention import MultiHeadAttention
from exercises.ex13_feed_forward import FeedForward
from exercises.ex14_encoder_layer import EncoderLayer


def with_weights(part, layer, name):
    """A part of an earlier exercise that has the layer's weights; they stand under this name."""
    state = layer.state_dict()
    part.load_state_dict({key: state[f"{name}.{key}"] for key in part.state_dict()})
    return part


def by_hand(layer, x, mask):
    """Both steps; the norms of a new layer neither scale nor shift, and have some eps."""
    attention = with_weights(MultiHeadAttention(6, 2), layer, "attention")
    network = with_weights(FeedForward(6, 12, dropout=0.0), layer, "feed_forward")
    y = layer_norm(x + attention(x, x, x, mask)[0], (6,))
    return layer_norm(y + network(y), (6,))


def test_two_steps():
    layer, x = EncoderLayer(6, 2, 12, dropout=0.5).eval(), torch.randn(3, 4, 6)
    rows = torch.ones(4, 4).tril().bool()
    for mask in (None, rows, rows[None].repeat(3, 1, 1)):
        assert torch.allclose(layer(x, mask), by_hand(layer, x, mask), atol=5e-4)


def test_samples_do_not_meet():
    layer, x = EncoderLayer(6, 2, 12).eval(), torch.randn(3, 4, 6)
    alone = torch.cat([layer(each[None]) for each in x])
    assert torch.allclose(layer(x), alone, atol=1e-5)


def test_hidden_tokens_have_no_say():
    layer, x = EncoderLayer(6, 2, 12).eval(), torch.randn(3, 4, 6)
    rows = torch.ones(4, 4).tril().bool()
    before = layer(x, rows)
    x[:, -1] += 1.0 + torch.arange(6)
    assert torch.allclose(layer(x, rows)[:, :-1], before[:, :-1], atol=1e-5)
    assert not torch.allclose(layer(x)[:, :-1], before[:, :-1], atol=1e-3)


def test_x_is_not_changed():
    layer, x = EncoderLayer(6, 2, 12), torch.randn(3, 4, 6)
    before = x.clone()
    layer(x)
    assert torch.equal(x, before)


def test_names_in_the_state_dict():
    parts = {name.split(".")[0] for name in EncoderLayer(6, 2, 12).state_dict()}
    assert {"attention", "norm1", "feed_forward", "norm2"} <= parts


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        EncoderLayer(10, 4, 12)
