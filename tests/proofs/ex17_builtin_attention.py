"""A proof for exercise 17, from its contract alone."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as torchs

from exercises.ex09_multi_head_attention import MultiHeadAttention
from exercises.ex17_builtin_attention import builtin_mask, fused_attention, to_builtin


def attention(bias=True):
    """One of exercise 09, whose biases are not zero."""
    module = MultiHeadAttention(6, 2, bias=bias)
    for each in module.parameters():
        nn.init.normal_(each)
    return module


def test_the_builtin_computes_the_same():
    for bias in (True, False):
        module = attention(bias)
        builtin = to_builtin(module).eval()
        query, key, value = torch.randn(3, 2, 4, 6)
        output, weights = module(query, key, value)
        theirs, average = builtin(query, key, value)
        assert torch.allclose(theirs, output, atol=1e-4)
        assert torch.allclose(average, weights.mean(1), atol=1e-4)


def test_the_builtin_has_copies():
    module = attention()
    before = [each.clone() for each in module.parameters()]
    for each in to_builtin(module).parameters():
        nn.init.zeros_(each)
    assert all(map(torch.equal, module.parameters(), before))


def test_a_mask_is_turned_and_stays():
    mask = torch.tensor([[True, False, False], [True, True, False]])
    before = mask.clone()
    assert torch.equal(builtin_mask(mask), torch.tensor([[0, 1, 1], [0, 0, 1]]).bool())
    assert torch.equal(mask, before)


def test_fused_attention_under_masks():
    query, key, value = (torch.randn(3, 2, *size) for size in ((4, 6), (4, 6), (4, 5)))
    band = torch.eye(4).bool() | (torch.rand(4, 4) < 0.5)
    for mask in (None, band, torch.ones(4, 4).triu().bool()):
        right = torchs(query, key, value, attn_mask=mask)
        assert torch.allclose(fused_attention(query, key, value, mask), right, atol=1e-5)


def test_a_hidden_key_has_no_weight_however_high_it_scores():
    query, key = torch.tensor([[30.0]]), torch.tensor([[-30.0], [30.0]])
    output = fused_attention(query, key, key, torch.tensor([[True, False]]))
    assert output.tolist() == [[-30.0]]
