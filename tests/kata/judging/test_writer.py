"""The language model that the suite of exercise 24 passes to `generate`."""

import pytest
import torch

from kata.inside.objects import Objects
from kata.inside.probes import PROBES

TOKENS = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


def test_it_reads_from_left_to_right() -> None:
    model = PROBES["writer"](10, 6, 4)
    logits = model(TOKENS)

    assert logits.shape == (2, 4, 10)
    assert torch.allclose(model(TOKENS[:, :3]), logits[:, :3], atol=1e-6)


@pytest.mark.parametrize("place", range(4))
def test_what_it_says_depends_on_every_token(place: int) -> None:
    model, other = PROBES["writer"](10, 6, 4), TOKENS.clone()
    other[:, place] = 0

    assert not torch.allclose(model(other)[:, -1], model(TOKENS)[:, -1], atol=1e-6)


@pytest.mark.parametrize("count", [0, 5])
def test_it_cannot_read_more_tokens_than_it_has_places_for(count: int) -> None:
    with pytest.raises(ValueError, match=rf"1 to 4 tokens, and was given {count}"):
        PROBES["writer"](10, 6, 4)(torch.zeros(2, count, dtype=torch.int64))


def test_it_can_be_handed_over_as_a_function_without_attributes() -> None:
    objects = Objects({"asks": lambda model: [hasattr(model, "training"), model(TOKENS).shape[-1]]})

    assert objects.call("asks", [objects.probe("writer", [10, 6, 4], {})], {}) == [True, 10]
    plain = objects.probe("writer", [10, 6, 4], {"plain": True})
    assert objects.call("asks", [plain], {}) == [False, 10]
