"""A proof for exercise 05, from its contract alone."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as torchs

from exercises.ex05_causal_masks import (
    causal_mask,
    mask_scores,
    mask_weights,
    masked_attention,
    padding_mask,
)


def test_masks_by_hand():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]
    assert padding_mask(torch.tensor([2, 0]), 3).tolist() == [[[True, True, False]], [[False] * 3]]
    with pytest.raises(ValueError, match=r"(?s)(7.*5|5.*7)"):
        padding_mask(torch.tensor([1, 7]), 5)


def test_hidden_scores_get_weight_zero():
    mask = torch.tensor([[[True, True, False]], [[False, True, True]]])
    for dtype in (torch.float16, torch.float32, torch.float64):
        scores = torch.tensor([1.0, 1.0, 1.0]).expand(2, 2, 3).to(dtype).clone()
        weights = mask_scores(scores, mask).softmax(-1)
        assert weights.dtype == dtype
        assert torch.equal(weights, (mask / 2).expand(2, 2, 3).to(dtype))
        assert scores.eq(1).all()


def test_weights_are_renormalised():
    weights = torch.tensor([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])
    mask = torch.tensor([[True, True, False], [False, False, False]])
    right = torch.tensor([[2 / 3, 1 / 3, 0.0], [0.0, 0.0, 0.0]])
    assert torch.allclose(mask_weights(weights, mask), right)


def test_attention_agrees_with_pytorch():
    query, key, value = (torch.randn(3, *size) for size in ((4, 6), (5, 6), (5, 7)))
    lengths = padding_mask(torch.tensor([1, 3, 5]), 5)
    for mask in (None, lengths, torch.ones(4, 5).tril().bool()):
        output, weights = masked_attention(query, key, value, mask)
        assert torch.allclose(output, torchs(query, key, value, attn_mask=mask), atol=1e-5)
        assert torch.allclose(weights @ value, output, atol=1e-5)


def test_a_query_that_may_attend_to_no_key():
    query = torch.randn(2, 3, requires_grad=True)
    mask = torch.tensor([[False, False], [True, False]])
    output, weights = masked_attention(query, query, query, mask)
    assert weights.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert torch.autograd.grad(output.sum(), query)[0].isfinite().all()
