"""A small training run: does an answer that is wrong learn as well as one that is right?

The task is to say the token before each one, which takes attention and nothing else: the model
around the answer is an embedding of tokens and of positions, and a linear layer behind it.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from kata.course.catalogue import target_of
from kata.course.curriculum import Exercise
from kata.hunts.losses import STEPS, VOCABULARY

TOKENS, WIDTH, SAMPLES = 10, 24, 16
POINTS = 12  # of a curve; each is a mean of the steps up to it
RATE = 1e-2
DATA_SEED = 99
NOT_FINITE = "not finite"  # what is kept of a curve that ends so

Answer = Callable[[nn.Module, Tensor, Tensor], Tensor]


def _causal(model: nn.Module, x: Tensor, _: Tensor) -> Tensor:
    out: Tensor = x + model(x)
    return out


def _multi_head(model: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    out: Tensor = x + model(x, x, x, mask)[0]
    return out


def _encoder_layer(model: nn.Module, x: Tensor, mask: Tensor) -> Tensor:
    out: Tensor = model(x, mask)
    return out


# The class of each exercise that can be trained so, its arguments, and how it is called.
TRAINED: Mapping[str, tuple[str, tuple[int, ...], Answer]] = {
    "ex06_causal_attention": ("CausalAttention", (WIDTH, WIDTH, TOKENS), _causal),
    "ex09_multi_head_attention": ("MultiHeadAttention", (WIDTH, 4), _multi_head),
    "ex14_encoder_layer": ("EncoderLayer", (WIDTH, 4, 2 * WIDTH), _encoder_layer),
}


class Model(nn.Module):
    """The answer between an embedding and a linear layer."""

    def __init__(self, make: Callable[[], nn.Module], call: Answer) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(TOKENS, WIDTH)
        self.out = nn.Linear(WIDTH, VOCABULARY)
        self.answer = make()  # last, so that all answers begin between the same layers
        self._call = call
        self.mask = torch.ones(TOKENS, TOKENS).tril().bool()

    def forward(self, x: Tensor) -> Tensor:
        """The logits of the token before each token."""
        seen = self.tokens(x) + self.positions(torch.arange(TOKENS))
        logits: Tensor = self.out(self._call(self.answer, seen, self.mask))
        return logits


def curve(exercise: Exercise, text: str, seed: int = 0) -> list[float] | str:
    """The loss on the way; or the name of the error that training ends with."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the fastest for numbers this few, and the same sums everywhere
    try:
        with warnings.catch_warnings(action="ignore"):
            losses = _losses(exercise, text, seed)
    except Exception as error:  # whatever a wrong answer raises is its result
        return type(error).__name__
    finally:
        torch.set_num_threads(threads)
    return _thinned(losses) if all(map(math.isfinite, losses)) else NOT_FINITE


def _losses(exercise: Exercise, text: str, seed: int) -> list[float]:
    name, sizes, call = TRAINED[exercise.slug]
    kind: Any = getattr(target_of(exercise, text).module(exercise.slug), name)
    torch.manual_seed(seed)
    data = torch.Generator().manual_seed(DATA_SEED)
    model = Model(lambda: kind(*sizes), call)
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    return [_step(model, optimizer, data) for _ in range(STEPS)]


def _step(model: Model, optimizer: torch.optim.Optimizer, data: torch.Generator) -> float:
    """One step on samples of its own; the first token has none before it."""
    x = torch.randint(VOCABULARY, (SAMPLES, TOKENS), generator=data)
    logits = model(x)[:, 1:].reshape(-1, VOCABULARY)
    loss = nn.functional.cross_entropy(logits, x[:, :-1].reshape(-1))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.item()


def _thinned(losses: list[float]) -> list[float]:
    size = STEPS // POINTS
    return [round(sum(losses[at : at + size]) / size, 4) for at in range(0, STEPS, size)]
