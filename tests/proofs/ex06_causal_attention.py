"""A proof for exercise 06, from its contract alone."""

import pytest
import torch

from exercises.ex06_causal_attention import CausalAttention


def by_hand(module, x):
    """A softmax over the tokens so far, one row at a time."""
    q, k, v = module.w_query(x), module.w_key(x), module.w_value(x)
    rows = []
    for t in range(1, x.shape[1] + 1):
        scores = q[:, t - 1 : t] @ k[:, :t].mT / q.shape[-1] ** 0.5
        rows.append(scores.softmax(-1) @ v[:, :t])
    return torch.cat(rows, dim=1)


def test_each_row_reads_what_came_before():
    module = CausalAttention(5, 3, context_length=8, dropout=0.5, bias=True).eval()
    for length in (1, 4, 8):
        x = torch.randn(2, length, 5)
        assert torch.allclose(module(x), by_hand(module, x), atol=1e-5)


def test_a_later_token_has_no_weight_however_high_it_scores():
    module = CausalAttention(1, 1, context_length=2)
    with torch.no_grad():
        module.w_query.weight.fill_(-1.0)
        module.w_key.weight.fill_(1.0)
        module.w_value.weight.fill_(1.0)
    x = torch.tensor([[[100.0], [-100.0]]])
    assert module(x)[0, 0].tolist() == [100.0]


def test_dropout_of_all_weights_in_training():
    module = CausalAttention(5, 3, context_length=4, dropout=1.0)
    assert not module(torch.randn(2, 4, 5)).any()


def test_the_future_stays_hidden_in_training():
    module = CausalAttention(5, 3, context_length=4, dropout=0.5).train()
    x = torch.randn(1, 4, 5)
    for _ in range(8):
        first = module(x)[0, 0]  # its only weight is dropped, or counts twice
        assert not first.any() or torch.allclose(first, 2 * module.w_value(x[0, 0]), atol=1e-5)


def test_the_mask_is_a_buffer():
    module = CausalAttention(5, 3, context_length=4)
    assert any(each is module.mask for each in module.buffers())
    assert {"w_query.weight", "w_key.weight", "w_value.weight"} <= set(module.state_dict())


def test_too_many_tokens():
    module = CausalAttention(5, 3, context_length=4)
    with pytest.raises(ValueError, match=r"(?s)(6.*4|4.*6)"):
        module(torch.randn(1, 6, 5))
