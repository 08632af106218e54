"""A proof for exercise 28, from its contract alone."""

import torch
from torch.nn.functional import layer_norm

from exercises.ex09_multi_head_attention import MultiHeadAttention
from exercises.ex13_feed_forward import FeedForward
from exercises.ex28_cross_attention import DecoderLayer

PARTS = {"self_attention", "norm1", "cross_attention", "norm2", "feed_forward", "norm3"}


def with_weights(part, layer, name):
    """A part of an earlier exercise that has the layer's weights; they stand under this name."""
    state = layer.state_dict()
    part.load_state_dict({key: state[f"{name}.{key}"] for key in part.state_dict()})
    return part.eval()


def by_hand(layer, x, memory, mask):
    """All three steps; the norms of a new layer neither scale nor shift."""
    own = with_weights(MultiHeadAttention(6, 2), layer, "self_attention")
    other = with_weights(MultiHeadAttention(6, 2), layer, "cross_attention")
    network = with_weights(FeedForward(6, 12, dropout=0.0), layer, "feed_forward")
    earlier = torch.ones(x.size(1), x.size(1)).tril().bool()
    x = layer_norm(x + own(x, x, x, earlier)[0], (6,))
    x = layer_norm(x + other(x, memory, memory, mask)[0], (6,))
    return layer_norm(x + network(x), (6,))


def test_three_steps():
    layer = DecoderLayer(6, 2, 12, dropout=0.5).eval()
    for tokens, places in ((4, 5), (5, 3), (4, 4)):
        x, memory = torch.randn(3, tokens, 6), 3 * torch.randn(3, places, 6)
        padding = torch.arange(places) < torch.tensor([[[1]], [[2]], [[3]]])
        for mask in (None, padding):
            expected = by_hand(layer, x, memory, mask)
            assert torch.allclose(layer(x, memory, mask), expected, atol=1e-3)


def test_no_token_hears_of_later_ones_and_all_hear_the_memory():
    layer = DecoderLayer(6, 2, 12).eval()
    x, memory = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    other, end = x.clone(), memory.clone()
    other[:, -1], end[:, -1] = torch.randn(2, 6), 5 * torch.randn(2, 6)
    before = layer(x, memory)
    assert torch.allclose(layer(other, memory)[:, :-1], before[:, :-1], atol=1e-5)
    assert not torch.allclose(layer(x, end)[:, 0], before[:, 0], atol=1e-4)


def test_every_part_has_weights_of_its_own():
    layer = DecoderLayer(6, 2, 12)
    state = {name: each for name, each in layer.state_dict().items() if name.split(".")[0] in PARTS}
    assert {name.split(".")[0] for name in state} == PARTS
    layer.load_state_dict({name: torch.randn_like(each) for name, each in state.items()}, False)
    values = [each for name, each in layer.state_dict().items() if name in state]
    firsts = [float(each.flatten()[0]) for each in values]
    assert len(set(firsts)) == len(firsts)


def test_arguments_are_not_changed():
    layer, mask = DecoderLayer(6, 2, 12), torch.ones(2, 1, 5, dtype=torch.bool)
    x, memory = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    before = [each.clone() for each in (x, memory, mask)]
    layer(x, memory, mask)
    assert all(map(torch.equal, (x, memory, mask), before))


def test_the_memory_learns():
    layer = DecoderLayer(6, 2, 12)
    x, memory = torch.randn(2, 4, 6), torch.randn(2, 5, 6, requires_grad=True)
    (layer(x, memory) * torch.randn(2, 4, 6)).sum().backward()
    assert memory.grad is not None
    assert memory.grad.abs().max() > 0
