"""Models of the learner's own parts: an encoder that reverses sequences, a decoder that writes."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from kata.course.curriculum import Exercise, exercises
from kata.course.source import read
from kata.course.target import Target
from kata.learner.progress import Progress, learner

PATH = Path(__file__).with_name("alice.txt")
HELD_OUT = 0.1  # the share at the end that is not trained on
NEEDS = ("ex15",)
LENGTH, SYMBOLS, WIDTH, HIDDEN = 12, 10, 32, 64
STEPS, BATCH, TRIALS, EVERY = 60, 64, 500, 10
RATE = 1e-2
NEEDS_OF_WRITER = ("ex22", "ex23", "ex24")
WIDTH_OF_WRITER, HEADS, HIDDEN_OF_WRITER, LAYERS, CONTEXT = 96, 4, 192, 3, 128
BATCH_OF_WRITER, SPAN, RATE_OF_WRITER = 16, 96, 4e-3
TEMPERATURE, TOP_P = 0.8, 0.95
TRIALS_OF_WRITER = 64  # spans of the text that was held out
Caches = Sequence[object]


@dataclass(frozen=True)
class Parts:
    """The exercises that a model is made of.

    Attributes:
        target: where they are; each uses the others as they are there.
        own: those that are the learner's.
        borrowed: those for which the reference stands in.
    """

    target: Target
    own: tuple[Exercise, ...]
    borrowed: tuple[Exercise, ...]

    def of(self, short: str) -> ModuleType:
        """The names of an exercise."""
        return self.target.module(_named(short).slug)


def parts(folder: Path, shorts: Sequence[str]) -> Parts:
    """These exercises of a learner's folder, and all that they need."""
    needed = [*dict.fromkeys(need for short in shorts for need in _with_needs(_named(short)))]
    needed.sort(key=lambda exercise: exercise.slug)
    progress = Progress(folder)
    files = learner(folder, progress)
    own = tuple(exercise for exercise in needed if progress.passed(files.digest(exercise.slug)))
    borrowed = tuple(exercise for exercise in needed if exercise not in own)
    instead = {exercise.slug: read(exercise.solution).text for exercise in borrowed}
    return Parts(Target(folder, instead, trusts=lambda _: True), own, borrowed)


def _named(short: str) -> Exercise:
    return next(exercise for exercise in exercises().values() if exercise.short == short)


def _with_needs(exercise: Exercise) -> Iterator[Exercise]:
    for slug in exercise.needs:
        yield from _with_needs(exercises()[slug])
    yield exercise


@dataclass(frozen=True)
class Letters:
    """A text as numbers, one for each different letter or sign."""

    text: str

    @cached_property
    def alphabet(self) -> str:
        """Every letter that occurs, in the order of their numbers."""
        return "".join(sorted(set(self.text)))

    def numbers(self, text: str) -> list[int]:
        """A text as numbers; letters that never occur are left out."""
        return [self.alphabet.index(letter) for letter in text if letter in self.alphabet]

    def spelled(self, numbers: list[int]) -> str:
        """The text of these numbers."""
        return "".join(self.alphabet[number] for number in numbers)

    @cached_property
    def split(self) -> tuple[Tensor, Tensor]:
        """What is trained on, and what is held out."""
        numbers = torch.tensor(self.numbers(self.text))
        end = int(len(numbers) * (1 - HELD_OUT))
        return numbers[:end], numbers[end:]


def letters() -> Letters:
    """The letters of the whole book."""
    return Letters(PATH.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Reached:
    """The progress: the step, the loss, and the share of whole sequences that are right."""

    step: int
    loss: float
    right: float


class Reverser(nn.Module):
    """Symbols and places in, symbols out; the encoder between them is that of exercise 15."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.symbols = nn.Embedding(SYMBOLS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.encoder = parts.of("ex15").Encoder(WIDTH, 1, HIDDEN, 1, dropout=0.0)
        self.readout = nn.Linear(WIDTH, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (B, S, symbols) of tokens (B, S)."""
        logits: Tensor = self.readout(self.encoder(self.symbols(tokens) + self.places.weight))
        return logits


def learned(model: Reverser) -> Iterator[Reached]:
    """Train a model on random sequences, and yield now and then how far it is."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    for step in range(1, STEPS + 1):
        tokens = torch.randint(SYMBOLS, (BATCH, LENGTH))
        logits = model(tokens).flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, tokens.flip(1).flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types there
        optimizer.step()
        if step % EVERY == 0:
            yield Reached(step, loss.item(), right(model))


@torch.no_grad()
def right(model: Reverser) -> float:
    """The share of new sequences that it reverses without a mistake."""
    tokens = torch.randint(SYMBOLS, (TRIALS, LENGTH))
    output = model(tokens).argmax(dim=-1)
    return float((output == tokens.flip(1)).all(dim=1).float().mean())


@torch.no_grad()
def example(model: Reverser) -> tuple[list[int], list[int]]:
    """A sequence, and what the model makes of it."""
    tokens = torch.randint(SYMBOLS, (1, LENGTH))
    return tokens[0].tolist(), model(tokens)[0].argmax(dim=-1).tolist()


@torch.no_grad()
def attention_map(model: Reverser) -> Tensor:
    """Where each place looks, on average: (S, S)."""
    tensors: list[Tensor] = []
    layer = model.encoder.layers[0].attention
    handle = layer.register_forward_hook(lambda *call: tensors.append(call[2][1]))
    model(torch.randint(SYMBOLS, (TRIALS, LENGTH)))
    handle.remove()
    return tensors[0].mean(dim=(0, 1))


@dataclass(frozen=True)
class ReachedLoss:
    """How far the training is."""

    step: int
    loss: float
    seconds: float


class Writer(nn.Module):
    """Letters in, logits of the next letter out; blocks and norm are those of the exercises."""

    def __init__(self, parts: Parts, alphabet: int) -> None:
        super().__init__()
        block = parts.of("ex22").DecoderBlock
        self.letters = nn.Embedding(alphabet, WIDTH_OF_WRITER)
        nn.init.normal_(self.letters.weight, std=0.5)
        self.blocks = nn.ModuleList(
            block(WIDTH_OF_WRITER, HEADS, HIDDEN_OF_WRITER, CONTEXT, dropout=0.0)
            for _ in range(LAYERS)
        )
        self.norm = parts.of("ex20").RMSNorm(WIDTH_OF_WRITER)
        self.readout = nn.Linear(WIDTH_OF_WRITER, alphabet, bias=False)

    def forward(self, tokens: Tensor, caches: Caches | None = None) -> tuple[Tensor, Caches]:
        """Logits (B, T, letters) of tokens (B, T), and the caches of all blocks."""
        x, kept = self.letters(tokens), []
        for block, before in zip(self.blocks, caches or [None] * LAYERS, strict=True):
            x, cache = block(x, before)
            kept.append(cache)
        return self.readout(self.norm(x)), kept


class Writing:
    """The training of a writer on a text, and what it writes.

    Args:
        parts: what it is made of.
        letters: what it learns from.
        device: where it is trained.
    """

    def __init__(self, parts: Parts, letters: Letters, device: str = "cpu") -> None:
        self.letters = letters
        self.device = device
        self.model = Writer(parts, len(letters.alphabet)).to(device)
        self._loss = parts.of("ex23").next_token_loss
        self._sampling = parts.of("ex24")
        self._attention = parts.of("ex05"), parts.of("ex07"), parts.of("ex19")

    def learned(self, seconds: float) -> Iterator[ReachedLoss]:
        """Train for about so long, and yield how far the writer is."""
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=RATE_OF_WRITER)
        begin, step = time.monotonic(), 0
        while (passed := time.monotonic() - begin) < seconds:
            for group in optimizer.param_groups:
                group["lr"] = RATE_OF_WRITER * (0.05 + 0.95 * (1 - passed / seconds))
            loss = self._cost(self._spans(self.letters.split[0], BATCH_OF_WRITER))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no types there
            optimizer.step()
            step += 1
            yield ReachedLoss(step, loss.item(), time.monotonic() - begin)

    @torch.no_grad()
    def held_out(self) -> float:
        """The loss on text that it has never seen."""
        return float(self._cost(self._spans(self.letters.split[1], TRIALS_OF_WRITER)))

    def _spans(self, text: Tensor, count: int) -> Tensor:
        starts = torch.randint(len(text) - SPAN, (count, 1))
        return text[starts + torch.arange(SPAN + 1)].to(self.device)  # (count, SPAN + 1)

    def _cost(self, spans: Tensor) -> Tensor:
        logits, _ = self.model(spans[:, :-1])
        cost: Tensor = self._loss(logits, spans[:, 1:])
        return cost

    @torch.no_grad()
    def written(self, begin: str, most: int = CONTEXT) -> str:
        """Go on with a text, one letter after the other, with a cache."""
        numbers = self.letters.numbers(begin)[-(most - 1) :] or [0]
        logits, caches = self.model(torch.tensor([numbers], device=self.device))
        while len(numbers) < most:
            numbers.append(self._next(logits[:, -1]))
            logits, caches = self.model(torch.tensor([numbers[-1:]], device=self.device), caches)
        return self.letters.spelled(numbers)

    def _next(self, logits: Tensor) -> int:
        likely = self._sampling.keep_top_p(logits / TEMPERATURE, TOP_P)
        chances = self._sampling.token_probabilities(likely)
        return int(self._sampling.pick(chances, torch.rand(1).to(chances)))

    @torch.no_grad()
    def heads(self, text: str) -> Tensor:
        """Where each letter looks, in each head of the last block: (H, T, T)."""
        masks, heads, positions = self._attention
        x = self._before_last(torch.tensor([self.letters.numbers(text)], device=self.device))
        block: Any = self.model.blocks[-1]
        normed = block.norm1(x)
        turned = [heads.split_heads(linear(normed), HEADS)
                  for linear in (block.attention.w_query, block.attention.w_key)]  # fmt: skip
        table = [
            part.to(self.device)
            for part in positions.rotation_table(CONTEXT, WIDTH_OF_WRITER // HEADS)
        ]
        query, key = (positions.rotate_pairs(vectors, *table) for vectors in turned)
        mask = masks.causal_mask(x.size(1)).to(self.device)
        weights: Tensor = masks.masked_attention(query, key, key, mask)[1][0]
        return weights.cpu()

    def _before_last(self, tokens: Tensor) -> Tensor:
        x: Tensor = self.model.letters(tokens)
        for block in [*self.model.blocks][:-1]:
            x, _ = block(x)
        return x

    @property
    def guess(self) -> float:
        """What it costs to guess: every letter equally likely."""
        return math.log(len(self.letters.alphabet))
