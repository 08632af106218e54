"""A proof for exercise 20, from its contract alone."""

import torch

from exercises.ex20_norm_and_gate import RMSNorm, SwiGLU


def by_hand(x, weight, eps):
    """The formula, in float64."""
    rows = x.double()
    return rows * weight.double() / (rows.square().mean(-1, keepdim=True) + eps).sqrt()


def test_a_norm_is_its_formula():
    for module, eps in ((RMSNorm(6), 1e-6), (RMSNorm(6, 0.5), 0.5)):
        x = torch.randn(2, 5, 6) + 1
        assert torch.allclose(module(x).double(), by_hand(x, torch.ones(6), eps), atol=1e-4)
        assert [name for name, _ in module.named_parameters()].count("weight") == 1
        with torch.no_grad():
            module.weight.copy_(torch.randn(6))
        assert torch.allclose(module(x).double(), by_hand(x, module.weight, eps), atol=1e-4)


def test_a_norm_in_float16():
    x = torch.full((3, 6), 400.0, dtype=torch.float16)
    output = RMSNorm(6).to(torch.float16)(x)
    assert output.dtype == torch.float16
    assert torch.allclose(output.float(), torch.ones(3, 6), atol=0.01)


def test_both_learn_their_weights_and_nothing_else():
    assert sum(each.numel() for each in RMSNorm(6).parameters()) == 6
    assert sum(each.numel() for each in SwiGLU(6, 11).parameters()) == 3 * 66


def test_a_network_is_its_formula():
    module, x = SwiGLU(6, 11), torch.randn(2, 5, 6)
    gate, up = module.w_gate(x), module.w_up(x)
    right = module.w_down(gate * torch.sigmoid(gate) * up)
    assert torch.allclose(module(x), right, atol=1e-5)


def test_a_shut_gate_has_a_finite_gradient():
    module = SwiGLU(1, 1)
    for layer in (module.w_gate, module.w_up, module.w_down):
        torch.nn.init.ones_(layer.weight)
    x = torch.tensor([-1000.0], requires_grad=True)
    module(x).sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
