"""A proof for exercise 11, from its contract alone."""

import pytest
import torch

from exercises.ex11_fewer_projections import FewerProjections, parameter_count


def by_hand(module, x, mask, keys):
    """Head by head, with slices of x for values; the mask has all four dimensions."""
    query, outputs = module.w_query(x), []
    for head in range(mask.shape[1]):
        width = x.shape[-1] // mask.shape[1]
        at = slice(head * width, (head + 1) * width)
        scores = query[..., at] @ keys[..., at].mT / width**0.5
        weights = scores.masked_fill(~mask[:, head], -torch.inf).softmax(-1)
        outputs.append(weights @ x[..., at])
    return module.w_out(torch.cat(outputs, dim=-1))


def test_each_head_on_its_slice_under_every_mask():
    module, x = FewerProjections(6, 2), torch.randn(3, 4, 6)
    rows = torch.ones(4, 4).tril().bool()
    padding = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]]).bool()[:, None]
    for mask in (None, rows, padding, rows & padding):
        full = torch.ones(4, 4).bool() if mask is None else mask
        full = (full[:, None] if full.dim() == 3 else full).expand(3, 2, 4, 4)
        right = by_hand(module, x, full, module.w_key(x))
        assert torch.allclose(module(x, mask), right, atol=1e-5)


def test_keys_that_are_slices_too():
    module, x = FewerProjections(6, 2, project_keys=False), torch.randn(3, 4, 6)
    right = by_hand(module, x, torch.ones(3, 2, 4, 4).bool(), x)
    assert torch.allclose(module(x), right, atol=1e-5)


def test_a_hidden_key_has_no_weight_however_high_it_scores():
    module = FewerProjections(1, 1, project_keys=False)
    with torch.no_grad():
        for name, each in module.named_parameters():
            each.fill_(1.0 if name.endswith("weight") else 0.0)
    x = torch.tensor([[[100.0], [-100.0]]])
    first_sees_second = torch.tensor([[False, True], [True, True]])
    assert module(x, first_sees_second)[0, 0].tolist() == [-100.0]


def test_parameters_are_counted():
    assert parameter_count(6, project_keys=True, project_values=True) == 4 * 42
    assert parameter_count(6, project_keys=False, project_values=True) == 3 * 42
    assert parameter_count(6, project_keys=False, project_values=False) == 2 * 42
    for keys in (True, False):
        count = sum(each.numel() for each in FewerProjections(6, 2, keys).parameters())
        assert count == parameter_count(6, project_keys=keys, project_values=False)


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        FewerProjections(10, 4)
