"""A proof for exercise 18, from its contract alone."""

from copy import deepcopy

import torch
from torch import nn

from exercises.ex09_multi_head_attention import MultiHeadAttention
from exercises.ex18_training_run import losses_match_unmasked, train

X, TARGET = torch.linspace(-1, 1, 36).view(2, 3, 6), torch.linspace(9, -9, 36).view(2, 3, 6)
MASK = torch.ones(3, 3).tril().bool()


def by_hand(model, mask, steps):
    """The losses of a loop that is written out."""
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=0.1), []
    for _ in range(steps):
        loss = (model(X, X, X, mask)[0] - TARGET).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_losses_and_parameters_are_those_of_the_loop():
    model = MultiHeadAttention(6, 2, bias=False)
    for mask in (MASK, None):
        mine, right = deepcopy(model), deepcopy(model)
        losses = train(mine, X, TARGET, mask, steps=6, lr=0.1)
        assert torch.allclose(
            torch.tensor(losses), torch.tensor(by_hand(right, mask, 6)), rtol=1e-4
        )
        assert torch.allclose(mine(X, X, X, mask)[0], right(X, X, X, mask)[0], atol=0.01)


def test_a_model_that_returns_one_tensor():
    class Factor(nn.Linear):
        def forward(self, query, key, value, mask):
            return super().forward(query)

    model = Factor(6, 6)
    losses = train(model, X, TARGET, None, steps=2)
    assert losses[1] < losses[0]


def test_the_mode_stays():
    for mode in (True, False):
        model = MultiHeadAttention(6, 2).train(mode)
        train(model, X, TARGET, MASK, steps=1)
        assert all(each.training == mode for each in model.modules())


def test_equal_losses():
    assert losses_match_unmasked([1.0, 0.5, 1e-9], [1.0, 0.5, 1e-9]) is True
    assert losses_match_unmasked([1.0], [1.0 + 1e-8]) is True


def test_different_losses():
    for other in ([0.9, 0.5], [1.0, 0.4], [1.0], [1.0, 0.5, 0.2]):
        assert losses_match_unmasked([1.0, 0.5], other) is False
    assert losses_match_unmasked([1e-9], [2e-9]) is False
    assert losses_match_unmasked([1.0, 1.0], [1.0, 1.0]) is True
