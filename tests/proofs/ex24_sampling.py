"""A proof for exercise 24, from its contract alone."""

import torch

from exercises.ex24_sampling import generate, keep_top_k, keep_top_p, pick, token_probabilities

NEVER = float("-inf")


def test_the_temperature_divides():
    logits = torch.tensor([[0.0, 2.0, 1.0], [3.0, -1.0, 0.0]])
    before = logits.clone()
    for temperature in (0.5, 2.0):
        right = (before / temperature).softmax(-1)
        assert torch.allclose(token_probabilities(logits, temperature), right)
    assert token_probabilities(logits, 0).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert torch.equal(logits, before)


def test_the_k_largest_stay():
    logits = torch.tensor([[3.0, 1.0, 2.0], [-3.0, -2.0, -1.0]])
    assert keep_top_k(logits, 2).tolist() == [[3.0, NEVER, 2.0], [NEVER, -2.0, -1.0]]
    assert keep_top_k(logits, 9).tolist() == logits.tolist()


def test_likeliest_up_to_p():
    logits = torch.tensor([[0.3, 0.5, 0.2], [0.1, 0.2, 0.7]]).log()
    kept = keep_top_p(logits, 0.6) > NEVER
    assert kept.tolist() == [[True, True, False], [False, False, True]]


def test_draws_fall_on_parts():
    rows = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.5, 0.5], [0.5, 0.25, 0.25]])
    assert pick(rows, torch.tensor([0.3, 0.0, 0.9])).tolist() == [1, 1, 2]


def test_a_text_goes_on():
    class Adds(torch.nn.Module):
        def forward(self, tokens):
            assert tokens.shape[1] <= 3
            return torch.nn.functional.one_hot(tokens.cumsum(1) % 10, 10).float()

    model, tokens = Adds().train(), torch.tensor([[1, 2], [3, 4]])
    assert generate(model, tokens, 3, 3).tolist() == [[1, 2, 3, 6, 1], [3, 4, 7, 4, 5]]
    assert model.training
