"""A proof for exercise 13, from its contract alone."""

import torch

from exercises.ex13_feed_forward import FeedForward


def by_hand(module, x):
    """The first layer, ReLU, and the second layer."""
    return module.linear2(torch.relu(module.linear1(x)))


def test_each_token_goes_through_both_layers():
    module = FeedForward(6, 4, dropout=0.5).eval()
    for shape in ((6,), (5, 6), (2, 5, 6)):
        x = torch.randn(shape)
        assert torch.allclose(module(x), by_hand(module, x), atol=1e-5)


def test_names_and_sizes_in_the_state_dict():
    sizes = {name: tuple(each.shape) for name, each in FeedForward(6, 4).state_dict().items()}
    assert sizes["linear1.weight"] == (4, 6)
    assert sizes["linear1.bias"] == (4,)
    assert sizes["linear2.weight"] == (6, 4)
    assert sizes["linear2.bias"] == (6,)


def test_with_everything_dropped_the_second_bias_is_left():
    module = FeedForward(6, 4, dropout=1.0).train()
    assert torch.allclose(module(torch.randn(3, 6)), module.linear2.bias.expand(3, 6))


def test_hidden_features_are_dropped_one_by_one():
    module = FeedForward(40, 40, dropout=0.5).train()
    for layer in (module.linear1, module.linear2):
        torch.nn.init.eye_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    output = module(torch.ones(3, 40))
    assert set(output.unique().tolist()) == {0.0, 2.0}
    assert all(0 < row.count_nonzero() < 40 for row in output)


def test_x_is_not_changed():
    for module in (FeedForward(6, 6), FeedForward(6, 6).eval()):
        with torch.no_grad():
            x = torch.randn(3, 6)
            before = x.clone()
            module(x)
            assert torch.equal(x, before)
