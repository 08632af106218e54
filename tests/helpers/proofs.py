"""Proofs as learners might write them, for tests of what judges them."""

from functools import cache
from pathlib import Path

from kata.course.curriculum import exercises
from kata.proofs.judge import judge
from kata.proofs.proof import Proof
from kata.proofs.verdict import ProofVerdict, TestVerdict

SLUG, FIRST_SLUG = "ex05_causal_masks", "ex01_softmax"
FIRST = f"""\
import numpy as np
from exercises.{FIRST_SLUG} import softmax


def test_zeros():
    assert np.allclose(softmax(np.zeros((2, 4))), 0.25)


def test_logarithms():
    assert np.allclose(softmax(np.log([1.0, 2.0, 5.0])), [0.125, 0.25, 0.625])
"""
# Refuses right answers that work on a transposed array.
FIRST_STRICT = """

def test_memory():
    assert softmax(np.zeros((2, 3)), 0).flags.c_contiguous
"""
HEAD = f"""\
import torch
from exercises.{SLUG} import (
    causal_mask, mask_scores, mask_weights, masked_attention, padding_mask
)

"""
# The examples of the docstrings, and nothing else.
NAIVE = (
    HEAD
    + """
def test_causal():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_padding():
    assert padding_mask(torch.tensor([1, 3]), 3).int().tolist() == [[[1, 0, 0]], [[1, 1, 1]]]


def test_scores():
    weights = mask_scores(torch.zeros(2, 2), causal_mask(2)).softmax(dim=-1)
    assert weights.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_weights():
    mask = torch.tensor([[True, True, False]])
    found = mask_weights(torch.tensor([[0.5, 0.25, 0.25]]), mask)
    assert torch.allclose(found, torch.tensor([[2 / 3, 1 / 3, 0.0]]))


def test_attention():
    one, value = torch.ones(2, 1), torch.tensor([[4.0], [8.0]])
    output, weights = masked_attention(one, one, value, causal_mask(2))
    assert weights.tolist() == [[1.0, 0.0], [0.5, 0.5]]
    assert output.tolist() == [[4.0], [6.0]]
"""
)
SHAPES = (
    HEAD
    + """
def test_shapes():
    mask = causal_mask(5)
    assert mask.shape == (5, 5)
    assert padding_mask(torch.tensor([2, 4]), 4).shape == (2, 1, 4)
    assert mask_scores(torch.randn(5, 5), mask).shape == (5, 5)
    assert mask_weights(torch.rand(5, 5), mask).shape == (5, 5)
    query = torch.randn(3, 5, 8)
    output, weights = masked_attention(query, query, query, mask)
    assert output.shape == (3, 5, 8) and weights.shape == (3, 5, 5)
"""
)
GOOD = (
    HEAD
    + """
def some_mask(*shape):
    mask = torch.rand(*shape) < 0.6
    mask[..., 0] |= ~mask.any(-1)
    return mask


def test_causal_masks_of_all_sizes():
    for size in (1, 2, 6, 100):
        mask = causal_mask(size)
        assert mask.dtype == torch.bool
        assert torch.equal(mask, torch.ones(size, size).tril().bool())


def test_padding_of_all_lengths():
    mask = padding_mask(torch.tensor([4, 0, 5, 2]), 5)
    assert mask.shape == (4, 1, 5) and mask.dtype == torch.bool
    assert mask.sum(-1).flatten().tolist() == [4, 0, 5, 2]
    assert mask[0, 0].tolist() == [True, True, True, True, False]


def test_lengths_that_do_not_fit():
    import pytest

    with pytest.raises(ValueError, match="9.*7|7.*9"):
        padding_mask(torch.tensor([1, 9]), 7)


def test_scores_become_the_right_weights():
    scores, mask = torch.randn(3, 5, 7), some_mask(3, 5, 7)
    before = scores.clone()
    weights = mask_scores(scores, mask).softmax(-1)
    assert torch.equal(scores, before)
    assert torch.allclose(weights, scores.masked_fill(~mask, -torch.inf).softmax(-1), atol=1e-5)


def test_weights_sum_to_one_again():
    weights, mask = torch.rand(2, 5, 7).softmax(-1).requires_grad_(), some_mask(2, 5, 7)
    mask[0, 1] = False
    found = mask_weights(weights, mask)
    assert (found[~mask] == 0).all()
    assert torch.allclose(found.sum(-1), mask.any(-1).float(), atol=1e-5)
    found.sum().backward()
    assert weights.grad.isfinite().all()


def test_attention_is_that_of_torch():
    attention = torch.nn.functional.scaled_dot_product_attention
    query, key, value = (torch.randn(2, 3, n, d) for n, d in ((5, 6), (7, 6), (7, 4)))
    for mask in (None, some_mask(5, 7), some_mask(2, 1, 1, 7)):
        output, weights = masked_attention(query, key, value, mask)
        assert torch.allclose(output, attention(query, key, value, attn_mask=mask), atol=1e-5)
        assert torch.allclose(weights @ value, output, atol=1e-5)
"""
)
OVERSPECIFIED = (
    HEAD
    + """
def test_a_hidden_score_is_minus_infinity():
    masked = mask_scores(torch.zeros(2, 2), causal_mask(2))
    assert masked[0, 1] == float("-inf")


def test_causal():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]
"""
)


def proof_of(text: str, slug: str = SLUG) -> Proof:
    return Proof.of(exercises()[slug], Path("proofs", f"{slug}.py"), text)


def judged_anew(text: str, level: int = 1) -> ProofVerdict:
    return judge(proof_of(text), level)


@cache
def _verdict(slug: str, path: Path, text: str, level: int) -> ProofVerdict:
    return judge(Proof.of(exercises()[slug], path, text), level)


def judged_once(proof: Proof, level: int = 3) -> ProofVerdict:
    """What a judge says of a file, who remembers it for as long as this process lives."""
    return _verdict(proof.exercise.slug, proof.source.path, proof.source.text, level)


# On level 1 are the traps, a twentieth of all: the judge does the same with each.
judged = cache(judged_anew)


def the_only(found: ProofVerdict) -> TestVerdict:
    (test,) = found.tests
    return test
