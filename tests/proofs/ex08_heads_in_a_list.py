"""A proof for exercise 08, from its contract alone."""

import pytest
import torch

from exercises.ex08_heads_in_a_list import HeadsInAList


def by_hand(module, x):
    """Every head from its own three layers, then the output layer."""
    outputs = []
    for head in module.heads:
        q, k, v = head.w_query(x), head.w_key(x), head.w_value(x)
        outputs.append((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v)
    return module.w_out(torch.cat(outputs, dim=-1))


def test_heads_side_by_side_then_projected():
    module = HeadsInAList(6, 3)
    x = torch.randn(2, 4, 6)
    assert torch.allclose(module(x), by_hand(module, x), atol=1e-5)


def test_names_and_sizes_in_the_state_dict():
    state = HeadsInAList(6, 3).state_dict()
    heads = [f"heads.{h}.w_{name}" for h in range(3) for name in ("query", "key", "value")]
    names = {f"{each}.{kind}" for each in (*heads, "w_out") for kind in ("weight", "bias")}
    assert set(state) == names
    assert state["heads.0.w_query.weight"].shape == (2, 6)


def test_each_head_is_its_own_and_can_be_trained():
    module = HeadsInAList(6, 3)
    assert len(list(module.parameters())) == 20
    module(torch.randn(2, 4, 6)).square().sum().backward()
    for head in module.heads:
        assert all(each.weight.grad.any() for each in (head.w_query, head.w_key, head.w_value))


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        HeadsInAList(10, 4)
