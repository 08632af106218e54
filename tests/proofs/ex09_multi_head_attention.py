"""A proof for exercise 09, from its contract alone."""

import pytest
import torch

from exercises.ex09_multi_head_attention import MultiHeadAttention


def by_hand(module, query, key, value, mask):
    """Head by head, from the module's own layers; the mask has all four dimensions."""
    q, k, v = module.w_query(query), module.w_key(key), module.w_value(value)
    outputs = []
    for head in range(module.num_heads):
        at = slice(head * module.head_dim, (head + 1) * module.head_dim)
        scores = q[..., at] @ k[..., at].mT / module.head_dim**0.5
        weights = scores.masked_fill(~mask[:, head], -torch.inf).softmax(-1)
        outputs.append(weights @ v[..., at])
    return module.w_out(torch.cat(outputs, dim=-1))


def test_each_head_on_its_block_under_every_mask():
    module = MultiHeadAttention(6, 2, dropout=0.5).eval()
    query, memory = torch.randn(3, 4, 6), torch.randn(3, 5, 6)
    rows = torch.ones(4, 5).tril().bool()
    padding = torch.tensor([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [1, 0, 1, 0, 1]]).bool()[:, None]
    each_head = (torch.rand(3, 2, 4, 5) < 0.5) | torch.eye(4, 5).bool()
    for mask in (rows, padding, rows & padding, each_head):
        full = (mask[:, None] if mask.dim() == 3 else mask).expand(3, 2, 4, 5)
        output, weights = module(query, memory, memory, mask)
        assert torch.allclose(output, by_hand(module, query, memory, memory, full), atol=1e-5)
        assert not weights[~full].any()


def test_query_key_and_value_may_differ():
    module = MultiHeadAttention(6, 2, bias=False)
    query, key, value = torch.randn(3, 3, 4, 6)
    output, weights = module(query, key, value)
    right = by_hand(module, query, key, value, torch.ones(3, 2, 4, 4).bool())
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(weights.sum(-1), torch.ones(3, 2, 4))


def test_a_hidden_key_has_no_weight_however_high_it_scores():
    module = MultiHeadAttention(1, 1, bias=False)
    with torch.no_grad():
        for each in module.parameters():
            each.fill_(1.0)
    query, key = torch.tensor([[[100.0]]]), torch.tensor([[[-100.0], [100.0]]])
    _, weights = module(query, key, key, torch.tensor([[True, False]]))
    assert weights.tolist() == [[[[1.0, 0.0]]]]


def test_names_in_the_state_dict():
    names = {f"w_{each}.weight" for each in ("query", "key", "value", "out")}
    assert set(MultiHeadAttention(6, 2, bias=False).state_dict()) == names


def test_a_width_that_does_not_divide():
    with pytest.raises(ValueError, match=r"(?s)(10.*4|4.*10)"):
        MultiHeadAttention(10, 4)
