"""A proof for exercise 04, from its contract alone."""

import torch
from torch.nn.functional import scaled_dot_product_attention as torchs

from exercises.ex04_scaled_attention import scaled_dot_product_attention


def inputs(*leading, dtype=torch.float32):
    """Queries, keys and values, all of different sizes."""
    return [torch.randn(*leading, *size, dtype=dtype) for size in ((3, 6), (5, 6), (5, 2))]


def test_output_agrees_with_pytorch():
    for leading in ((), (2,), (2, 4)):
        query, key, value = inputs(*leading)
        output, weights = scaled_dot_product_attention(query, key, value)
        assert torch.allclose(output, torchs(query, key, value), atol=1e-5)
        assert torch.allclose(weights @ value, output, atol=1e-5)
        assert torch.allclose(weights.sum(-1), torch.ones(*leading, 3))


def test_large_scores():
    query, key = torch.tensor([[30.0], [-30.0]]), torch.tensor([[30.0], [-30.0]])
    _, weights = scaled_dot_product_attention(query, key, key)
    assert torch.allclose(weights, torch.eye(2))


def test_gradients_flow_through_both():
    query, key, value = (each.requires_grad_() for each in inputs(2))
    output, weights = scaled_dot_product_attention(query, key, value)
    assert all(g.any() for g in torch.autograd.grad(output.sum(), (key, value), retain_graph=True))
    assert all(each.any() for each in torch.autograd.grad(weights.square().sum(), (query, key)))


def test_float64_stays_float64():
    query, key, value = inputs(2, dtype=torch.float64)
    output, weights = scaled_dot_product_attention(query, key, value)
    assert output.dtype == weights.dtype == torch.float64
    assert torch.allclose(output, torchs(query, key, value), atol=1e-5)


def test_no_argument_is_changed():
    given = inputs(2)
    before = [each.clone() for each in given]
    scaled_dot_product_attention(*given)
    assert all(map(torch.equal, given, before))
