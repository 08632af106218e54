"""A proof for exercise 23, from its contract alone."""

import torch
from torch.nn.functional import cross_entropy

from exercises.ex23_next_token_loss import next_token_loss, shift, token_losses


def test_shift_by_hand():
    for rows in (2, 1):
        tokens = torch.tensor([[5, 0, 7, 9, 9], [1, 2, 3, 4, 6]])[:rows]
        before, right = tokens.tolist(), [[0, 7, -100, -100], [2, 3, 4, 6]][:rows]
        inputs, targets = shift(tokens, torch.tensor([3, 5])[:rows])
        assert targets.tolist() == right
        assert inputs.tolist() == [row[:4] for row in before]
        assert tokens.tolist() == before


def test_losses_agree_with_pytorch():
    logits = torch.tensor([[0.0, 300.0, 1.0], [2.0, 0.0, 1.0], [0.5, 0.0, 9.0]], requires_grad=True)
    targets = torch.tensor([0, 2, -100])
    losses, right = token_losses(logits, targets), cross_entropy(logits, targets, reduction="none")
    assert torch.allclose(losses, right)
    assert targets.tolist() == [0, 2, -100]
    assert torch.autograd.grad(losses.sum(), logits)[0][2].tolist() == [0, 0, 0]


def test_each_token_weighs_the_same():
    logits = torch.randn(2, 4, 6)
    targets = torch.tensor([[0, 3, 1, 5], [2, -100, -100, -100]])
    right = cross_entropy(logits.flatten(0, 1), targets.flatten())
    assert torch.allclose(next_token_loss(logits, targets), right)


def test_nothing_is_asked():
    assert next_token_loss(torch.randn(2, 3, 4), torch.full((2, 3), -100)) == 0
