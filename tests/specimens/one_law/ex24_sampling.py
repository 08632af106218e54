"""Honest tests that hand over a function, as the docstring of `generate` does."""

import pytest
import torch
from torch.nn.functional import one_hot

from exercises.ex24_sampling import generate, pick


def after(tokens):
    return one_hot(tokens + 1, 10).float()


def test_a_function():
    found = generate(after, torch.tensor([[3, 4]]), steps=3, context_length=2)
    assert found.tolist() == [[3, 4, 5, 6, 7]]


def test_a_lambda():
    model = lambda tokens: one_hot((tokens + 2) % 7, 7).double()
    assert generate(model, torch.tensor([[0], [1]]), 2, 4).tolist() == [[0, 2, 4], [1, 3, 5]]


def test_a_function_that_counts():
    sizes = []

    def model(tokens):
        sizes.append(tokens.size(1))
        return after(tokens)

    generate(model, torch.tensor([[1, 2]]), steps=3, context_length=3)
    assert sizes == [2, 3, 3]


class Model:
    calls = 0

    def __call__(self, tokens):
        self.calls += 1
        return after(tokens)


def test_an_object_that_can_be_called():
    model = Model()
    generate(model, torch.tensor([[1]]), 4, 8)
    assert model.calls == 4


def test_a_method():
    model = Model()
    assert generate(model.__call__, torch.tensor([[1]]), 1, 8).tolist() == [[1, 2]]


def test_a_module():
    class Next(torch.nn.Module):
        def forward(self, tokens):
            return after(tokens)

    model = Next().train()
    generate(model, torch.tensor([[1]]), 1, 8)
    assert model.training


def test_a_function_that_raises():
    def model(tokens):
        raise KeyError("here")

    try:
        generate(model, torch.tensor([[1]]), 1, 8)
    except KeyError:
        return
    raise AssertionError


def test_draws():
    p, draws = torch.tensor([[0.25, 0.75]] * 2), torch.tensor([0.1, 0.9])
    assert pick(p, draws).tolist() == [0, 1]


class Stop(Exception):
    pass


def test_an_error_of_its_own():
    def model(tokens):
        raise Stop

    with pytest.raises(Stop):
        generate(model, torch.tensor([[1, 2]]), 1, 4)


def test_skipped_in_a_function():
    def model(tokens):
        pytest.skip("it was asked")

    generate(model, torch.tensor([[1, 2]]), 1, 4)
    raise AssertionError("never asked")


def test_refused_large_result():
    assert generate(after, torch.zeros(2000, 1, dtype=torch.int64), 1100, 4).shape == (2000, 1101)
