"""Honest tests in PyTorch, each with an idiom of its own."""

import torch
import torch.nn.functional as F
from torch.autograd import gradcheck

import exercises.ex04_scaled_attention as mine
from exercises.ex04_scaled_attention import scaled_dot_product_attention


def drawn(*shape, **options):
    return torch.randn(*shape, **options)


def test_unpacked():
    q, k, v = drawn(2, 3, 4), drawn(2, 5, 4), drawn(2, 5, 6)
    output, weights = scaled_dot_product_attention(q, k, v)
    assert output.shape == (2, 3, 6) and weights.shape == (2, 3, 5)


def test_library():
    q, k, v = drawn(2, 3, 4), drawn(2, 5, 4), drawn(2, 5, 6)
    torch.testing.assert_close(
        mine.scaled_dot_product_attention(q, k, v)[0], F.scaled_dot_product_attention(q, k, v)
    )


def test_generator():
    q = torch.randn(3, 4, generator=torch.Generator().manual_seed(5))
    _, weights = scaled_dot_product_attention(q, q, q)
    assert torch.allclose(weights.sum(-1), torch.ones(3))


def test_seed_of_torch():
    torch.seed()
    q, k = torch.rand(3, 4), torch.rand(3, 4)
    _, weights = scaled_dot_product_attention(q, k, q)
    assert torch.allclose(weights, (q @ k.T / 2).softmax(-1))


def test_placeholder():
    q = torch.empty(3, 4)
    for row in range(3):
        q[row] = row
    _, weights = scaled_dot_product_attention(q, q, q)
    assert torch.allclose(weights, (q @ q.T / 2).softmax(-1))


def test_placeholder_for_results():
    q = drawn(4, 3, 2)
    found = torch.empty(4, 3, 2)
    for sample in range(4):
        found[sample] = scaled_dot_product_attention(q[sample], q[sample], q[sample])[0]
    assert torch.allclose(found, scaled_dot_product_attention(q, q, q)[0], atol=1e-6)


def test_gradients():
    q, k, v = (drawn(2, 3, 4, requires_grad=True) for _ in range(3))
    scaled_dot_product_attention(q, k, v)[0].sum().backward()
    assert all(each.grad is not None for each in (q, k, v))


def test_second_backward_raises():
    q = drawn(2, 3, 4, requires_grad=True)
    loss = scaled_dot_product_attention(q, q, q)[0].sum()
    loss.backward()
    try:
        loss.backward()
    except RuntimeError:
        return
    raise AssertionError


def test_second_backward_of_a_kept_graph():
    q = drawn(2, 3, 4, requires_grad=True)
    loss = scaled_dot_product_attention(q, q, q)[0].sum()
    loss.backward(retain_graph=True)
    once = q.grad.clone()
    loss.backward()
    assert torch.allclose(q.grad, 2 * once)


def test_gradcheck():
    q, k, v = (drawn(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
    assert gradcheck(lambda *each: scaled_dot_product_attention(*each)[0], (q, k, v))


def test_no_grad():
    q = drawn(3, 4, requires_grad=True)
    with torch.no_grad():
        assert not scaled_dot_product_attention(q, q, q)[0].requires_grad


def test_autograd_grad():
    q, k, v = (drawn(3, 4, requires_grad=True) for _ in range(3))
    found = torch.autograd.grad(scaled_dot_product_attention(q, k, v)[0].sum(), (q, k, v))
    assert [each.shape for each in found] == [(3, 4)] * 3


def test_not_contiguous():
    q = drawn(4, 3).T
    weights = scaled_dot_product_attention(q, q, q)[1]
    assert torch.allclose(weights, (q @ q.T / 2).softmax(-1))


def test_in_a_loop_over_dtypes():
    for dtype in (torch.float32, torch.float64):
        q = drawn(2, 3, dtype=dtype)
        assert {each.dtype for each in scaled_dot_product_attention(q, q, q)} == {dtype}


def test_refused_vmap():
    q = drawn(2, 3, 4)
    found = torch.vmap(lambda x: scaled_dot_product_attention(x, x, x)[0])(q)
    assert found.shape == (2, 3, 4)


def test_refused_double_backward():
    q = drawn(3, 4, requires_grad=True)
    loss = scaled_dot_product_attention(q, q, q)[0].pow(2).sum()
    (first,) = torch.autograd.grad(loss, q, create_graph=True)
    first.sum().backward()
    assert q.grad is not None


def test_refused_mode():
    with torch.inference_mode():
        q = drawn(3, 4)
        assert scaled_dot_product_attention(q, q, q)[0].shape == (3, 4)


def test_an_error_of_a_library_says_nothing():
    try:
        scaled_dot_product_attention("q", None, 3)
    except Exception as error:
        assert "contract" in str(error)
