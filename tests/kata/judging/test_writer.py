"""The language model that the suite of exercise 24 passes to `generate`."""

from typing import Any

import pytest

from kata.inside.objects import Objects
from tests.helpers.later import Later, torch

probes = Later("kata.inside.probes")


@pytest.fixture(scope="module")
def tokens() -> object:
    return torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def test_it_reads_from_left_to_right(tokens: Any) -> None:
    model = probes.PROBES["writer"](10, 6, 4)
    logits = model(tokens)

    assert logits.shape == (2, 4, 10)
    assert torch.allclose(model(tokens[:, :3]), logits[:, :3], atol=1e-6)


def test_what_it_says_depends_on_every_token(tokens: Any) -> None:
    model = probes.PROBES["writer"](10, 6, 4)
    for place in range(4):
        other = tokens.clone()
        other[:, place] = 0
        assert not torch.allclose(model(other)[:, -1], model(tokens)[:, -1], atol=1e-6), place


@pytest.mark.parametrize("count", [0, 5])
def test_it_cannot_read_more_tokens_than_it_has_places_for(count: int) -> None:
    with pytest.raises(ValueError, match=rf"1 to 4 tokens, and was given {count}"):
        probes.PROBES["writer"](10, 6, 4)(torch.zeros(2, count, dtype=torch.int64))


def test_it_can_be_handed_over_as_a_function_without_attributes(tokens: Any) -> None:
    objects = Objects({"asks": lambda model: [hasattr(model, "training"), model(tokens).shape[-1]]})

    assert objects.call("asks", [objects.probe("writer", [10, 6, 4], {})], {}) == [True, 10]
    plain = objects.probe("writer", [10, 6, 4], {"plain": True})
    assert objects.call("asks", [plain], {}) == [False, 10]
