"""A proof for exercise 15, from its contract alone."""

import pytest
import torch

from exercises.ex14_encoder_layer import EncoderLayer
from exercises.ex15_encoder import Encoder


def by_hand(encoder, x, mask):
    """Layer by layer; the norms of a new encoder neither scale nor shift."""
    state = encoder.state_dict()
    for number in range(3):
        layer = EncoderLayer(6, 2, 12).eval()
        names = [name for name in layer.state_dict() if "norm" not in name]
        own = {name: state[f"layers.{number}.{name}"] for name in names}
        layer.load_state_dict(own, strict=False)
        x = layer(x, mask)
    return x


def test_what_one_layer_gives_is_what_the_next_one_gets():
    encoder, x = Encoder(6, 2, 12, num_layers=3).eval(), torch.randn(3, 4, 6)
    rows = torch.ones(4, 4).tril().bool()
    padding = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]]).bool()[:, None]
    for mask in (None, rows, padding, rows & padding):
        assert torch.allclose(encoder(x, mask), by_hand(encoder, x, mask), atol=1e-4)


def test_nothing_comes_after_the_last_layer():
    encoder, x = Encoder(6, 2, 12, num_layers=2).eval(), torch.randn(1, 4, 6)
    with torch.no_grad():
        for name, each in encoder.named_parameters():
            if "norm2" in name:
                each.mul_(3.0)
    assert torch.allclose(encoder(x).std(-1, correction=0), torch.tensor(3.0), atol=0.01)


def test_each_layer_has_weights_of_its_own():
    state = Encoder(6, 2, 12, num_layers=2).state_dict()
    state["layers.0.attention.w_query.weight"].zero_()
    assert state["layers.1.attention.w_query.weight"].any()


def test_dropout_reaches_the_layers():
    encoder, x = Encoder(6, 2, 12, num_layers=2, dropout=1.0).train(), torch.randn(1, 4, 6)
    quiet = Encoder(6, 2, 12, num_layers=2, dropout=0.0).train()
    assert torch.equal(encoder(x), encoder(x))
    assert torch.equal(quiet(x), quiet(x))


def test_x_is_not_changed():
    encoder, x = Encoder(6, 2, 12, num_layers=2), torch.randn(1, 4, 6)
    before = x.clone()
    encoder(x)
    assert torch.equal(x, before)


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        Encoder(10, 4, 12, num_layers=2)
