"""A proof for exercise 03, from its contract alone."""

import torch

from exercises.ex03_self_attention import SelfAttention, self_attention


def attend(query, key, value):
    """softmax(q @ kᵀ / √d_out) @ v."""
    return (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value


def test_any_number_of_leading_dimensions():
    w_query, w_key, w_value = torch.randn(3, 5, 2)
    for shape in ((4, 5), (3, 4, 5), (2, 3, 4, 5)):
        x = torch.randn(shape)
        right = attend(x @ w_query, x @ w_key, x @ w_value)
        assert torch.allclose(self_attention(x, w_query, w_key, w_value), right, atol=1e-5)


def test_large_scores():
    x = torch.tensor([[30.0], [-30.0]])
    one = torch.ones(1, 1)
    assert torch.allclose(self_attention(x, one, one, one), x)


def test_gradients_flow_to_all_four():
    x = torch.randn(3, 4, requires_grad=True)
    matrices = [torch.randn(4, 2, requires_grad=True) for _ in range(3)]
    gradients = torch.autograd.grad(self_attention(x, *matrices).square().sum(), (x, *matrices))
    assert all(each.abs().sum() > 0 for each in gradients)


def test_module_attends_with_its_layers():
    for bias in (True, False):
        module = SelfAttention(5, 3, bias=bias)
        for shape in ((4, 5), (2, 4, 5)):
            x = torch.randn(shape)
            right = attend(module.w_query(x), module.w_key(x), module.w_value(x))
            assert torch.allclose(module(x), right, atol=1e-5)


def test_names_in_the_state_dict():
    weights = {"w_query.weight", "w_key.weight", "w_value.weight"}
    biases = {"w_query.bias", "w_key.bias", "w_value.bias"}
    assert set(SelfAttention(4, 3).state_dict()) == weights
    assert set(SelfAttention(4, 3, bias=True).state_dict()) == weights | biases
