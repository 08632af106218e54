"""The right and wrong answers from which figures are computed, their inputs, and their texts."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kata.course.catalogue import Bug, bugs, wrong_answer
from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target, reference
from kata.handouts.drawing import Drawing, Figure

if TYPE_CHECKING:
    from torch import Tensor


def right(slug: str) -> Any:
    """The reference of an exercise, as a module."""
    return reference().module(slug)


@cache
def wrong(slug: str, bug: str) -> ModuleType:
    """The reference with one mistake."""
    exercise = exercises()[slug]
    text = wrong_answer(exercise, entry(slug, bug))
    target = Target(SOLUTIONS, {slug: text}, trusts=lambda _: True)
    return target.module(slug)


def entry(slug: str, bug: str) -> Bug:
    """A mistake of the catalogue."""
    return next(mistake for mistake in bugs(exercises()[slug]) if mistake.slug == bug)


def tensor(seed: int, *shape: int, spread: float = 1.0, digits: int = 1) -> "Tensor":
    """Normal numbers, float64, rounded: NumPy draws the same ones on every machine."""
    import numpy as np
    import torch

    numbers = np.random.RandomState(seed).standard_normal(shape) * spread
    return torch.from_numpy(numbers.round(digits) + 0.0)


def filled(model: Any, seed: int, spread: float = 1.0, digits: int = 1) -> Any:
    """A module in float64 and in evaluation, with such numbers as its parameters."""
    model = model.double().eval()
    for at, parameter in enumerate(model.parameters()):
        parameter.copy_(tensor(seed + at, *parameter.shape, spread=spread, digits=digits))
    return model


def moved(function: "Callable[[Tensor], Tensor]", x: "Tensor") -> "Tensor":
    """Return how far every output (rows) moves when a token (columns) is negated."""
    import torch

    texts = [x.index_copy(1, torch.tensor([at]), -x[:, [at]]) for at in range(x.size(1))]
    return torch.cat([(function(text) - function(x)).abs().amax(dim=-1) for text in texts]).T


def reached(model: Any, attend: "Callable[[Tensor], Tensor]") -> "Tensor":
    """Return how far every feature of the heads (rows) moves with one of a token (columns)."""
    import torch

    size = len(model.w_out.weight)
    x, steps = tensor(2, 1, 1, size), torch.eye(size)
    model.w_out.weight.copy_(steps)
    return torch.cat([attend(x + step) - attend(x) for step in steps])[:, 0].T.abs()


def spread(tokens: "Tensor") -> float:
    """The spread of a token's features, as the mean of all tokens."""
    return float(tokens.std(dim=-1, correction=0).mean())


@contextmanager
def inference() -> Iterator[None]:
    """Run without gradients, and in one thread, in which models this small run fastest."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(before)


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))


def label(slug: str, name: str, **values: object) -> str:
    """A text in or beside a figure, with these values in it."""
    return _texts()[slug][name].format(**values)


def finished(page: Drawing, slug: str, **values: object) -> Figure:
    """A drawing with the three texts that go with it."""
    title, alt, caption = (label(slug, name, **values) for name in ("title", "alt", "caption"))
    return page.figure(title, alt, caption)
