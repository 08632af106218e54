"""A proof for exercise 12, from its contract alone."""

import torch
from torch.nn.functional import layer_norm

from exercises.ex12_layer_norm import LayerNorm


def changed(shape, eps=1e-5):
    """A norm whose scale and shift are not those of the beginning."""
    module = LayerNorm(shape, eps)
    with torch.no_grad():
        module.gamma.copy_(torch.randn(shape))
        module.beta.copy_(torch.randn(shape))
    return module


def test_the_first_scale_is_one():
    x = torch.randn(3, 5, 6)
    assert torch.allclose(LayerNorm(6)(x), layer_norm(x, (6,)), atol=1e-5)


def test_any_shape_and_eps():
    for shape, eps in ((6, 1e-5), (6, 0.5), ((5, 6), 0.5)):
        module, x = changed(shape, eps), torch.randn(3, 5, 6)
        sizes = module.gamma.shape
        right = layer_norm(x, sizes, module.gamma, module.beta, eps)
        assert torch.allclose(module(x), right, atol=1e-5)


def test_rows_far_from_zero():
    row = torch.tensor([0.0, 1.0, 2.0, 3.0])
    assert torch.allclose(LayerNorm(4)(row + 8000), layer_norm(row, (4,)), atol=0.01)


def test_gradients():
    module, x = changed(6), torch.randn(3, 6, requires_grad=True)
    right = layer_norm(x, (6,), module.gamma, module.beta)
    mine, theirs = (torch.autograd.grad(each.square().sum(), x)[0] for each in (module(x), right))
    assert torch.allclose(mine, theirs, atol=1e-4)


def test_x_is_not_changed():
    x = torch.randn(3, 6)
    before = x.clone()
    LayerNorm(6)(x)
    assert torch.equal(x, before)
