"""Models made of the learner's own parts: one that reverses sequences, and one that writes."""

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
from kata.learner.progress import Progress, learner_target

# The model that reverses sequences.
REVERSER_NEEDS = ("ex15",)
LENGTH, SYMBOLS = 12, 10
REVERSER_WIDTH, REVERSER_HIDDEN = 32, 64
REVERSER_STEPS, REVERSER_BATCH, REVERSER_RATE = 60, 64, 1e-2
REVERSER_TRIALS = 500  # new sequences on which it is tried
REPORT_EVERY = 10  # steps

# The model that writes.
WRITER_NEEDS = ("ex22", "ex23", "ex24")
BOOK = Path(__file__).with_name("alice.txt")
HELD_OUT = 0.1  # the share at the end of the book that is not trained on
WRITER_WIDTH, HEADS, WRITER_HIDDEN, LAYERS, CONTEXT = 96, 4, 192, 3, 128
WRITER_BATCH, SPAN, WRITER_RATE = 16, 96, 4e-3
WRITER_TRIALS = 64  # spans of the text that was held out
TEMPERATURE, TOP_P = 0.8, 0.95
Caches = Sequence[object]


@dataclass(frozen=True)
class Parts:
    """The exercises that a model is made of.

    Attributes:
        target: the learner's folder, in which exercises import one another.
        own: the exercises that are the learner's.
        borrowed: the exercises for which the reference stands in.
    """

    target: Target
    own: tuple[Exercise, ...]
    borrowed: tuple[Exercise, ...]

    def module(self, short: str) -> ModuleType:
        """Return an exercise as a module."""
        return self.target.module(_exercise(short).slug)


def parts(folder: Path, shorts: Sequence[str]) -> Parts:
    """Return these exercises of a learner's folder, with all that they need."""
    needed = {need for short in shorts for need in _with_needs(_exercise(short))}
    ordered = sorted(needed, key=lambda exercise: exercise.slug)
    progress = Progress(folder)
    target = learner_target(folder, progress)
    own = tuple(exercise for exercise in ordered if progress.passed(target.digest(exercise.slug)))
    borrowed = tuple(exercise for exercise in ordered if exercise not in own)
    solutions = {exercise.slug: read(exercise.solution).text for exercise in borrowed}
    return Parts(Target(folder, solutions, trusts=lambda _: True), own, borrowed)


def _exercise(short: str) -> Exercise:
    return next(exercise for exercise in exercises().values() if exercise.short == short)


def _with_needs(exercise: Exercise) -> Iterator[Exercise]:
    for slug in exercise.needs:
        yield from _with_needs(exercises()[slug])
    yield exercise


@dataclass(frozen=True)
class ReverserProgress:
    """The progress of a training: `right` is the share of sequences without a mistake."""

    step: int
    loss: float
    right: float


class Reverser(nn.Module):
    """A model from symbols to symbols, with the encoder of exercise 15 in the middle."""

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.symbols = nn.Embedding(SYMBOLS, REVERSER_WIDTH)
        self.places = nn.Embedding(LENGTH, REVERSER_WIDTH)
        self.encoder = parts.module("ex15").Encoder(
            REVERSER_WIDTH, 1, REVERSER_HIDDEN, 1, dropout=0.0
        )
        self.readout = nn.Linear(REVERSER_WIDTH, SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits (B, S, symbols) of tokens (B, S)."""
        logits: Tensor = self.readout(self.encoder(self.symbols(tokens) + self.places.weight))
        return logits


def train(model: Reverser) -> Iterator[ReverserProgress]:
    """Train a model on random sequences, and yield its progress now and then."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=REVERSER_RATE)
    for step in range(1, REVERSER_STEPS + 1):
        tokens = torch.randint(SYMBOLS, (REVERSER_BATCH, LENGTH))
        logits = model(tokens).flatten(0, 1)
        loss = nn.functional.cross_entropy(logits, tokens.flip(1).flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types there
        optimizer.step()
        if step % REPORT_EVERY == 0:
            yield ReverserProgress(step, loss.item(), share_right(model))


@torch.no_grad()
def share_right(model: Reverser) -> float:
    """Return the share of new sequences that a model reverses without a mistake."""
    tokens = torch.randint(SYMBOLS, (REVERSER_TRIALS, LENGTH))
    output = model(tokens).argmax(dim=-1)
    return float((output == tokens.flip(1)).all(dim=1).float().mean())


@torch.no_grad()
def example(model: Reverser) -> tuple[list[int], list[int]]:
    """Return a sequence, and the output of the model."""
    tokens = torch.randint(SYMBOLS, (1, LENGTH))
    return tokens[0].tolist(), model(tokens)[0].argmax(dim=-1).tolist()


@torch.no_grad()
def attention_map(model: Reverser) -> Tensor:
    """Return the attention of the output's places on the input's, on average: (S, S)."""
    tensors: list[Tensor] = []
    layer = model.encoder.layers[0].attention
    handle = layer.register_forward_hook(lambda *call: tensors.append(call[2][1]))
    model(torch.randint(SYMBOLS, (REVERSER_TRIALS, LENGTH)))
    handle.remove()
    return tensors[0].mean(dim=(0, 1))


@dataclass(frozen=True)
class Letters:
    """A text as numbers, one number for every letter or sign that occurs."""

    text: str

    @cached_property
    def alphabet(self) -> str:
        """All letters that occur, in the order of their numbers."""
        return "".join(sorted(set(self.text)))

    def numbers(self, text: str) -> list[int]:
        """Return a text as numbers; letters that never occur are left out."""
        return [self.alphabet.index(letter) for letter in text if letter in self.alphabet]

    def spelled(self, numbers: list[int]) -> str:
        """Return the text of these numbers."""
        return "".join(self.alphabet[number] for number in numbers)

    @cached_property
    def split(self) -> tuple[Tensor, Tensor]:
        """The part for training, and the part that is held out."""
        numbers = torch.tensor(self.numbers(self.text))
        end = int(len(numbers) * (1 - HELD_OUT))
        return numbers[:end], numbers[end:]


def letters() -> Letters:
    """Return the letters of the whole book."""
    return Letters(BOOK.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class WriterProgress:
    """The progress of a training."""

    step: int
    loss: float
    seconds: float


class Writer(nn.Module):
    """A model from letters to logits of the next letter; blocks and norm are the exercises'."""

    def __init__(self, parts: Parts, alphabet: int) -> None:
        super().__init__()
        block = parts.module("ex22").DecoderBlock
        self.letters = nn.Embedding(alphabet, WRITER_WIDTH)
        nn.init.normal_(self.letters.weight, std=0.5)
        self.blocks = nn.ModuleList(
            block(WRITER_WIDTH, HEADS, WRITER_HIDDEN, CONTEXT, dropout=0.0) for _ in range(LAYERS)
        )
        self.norm = parts.module("ex20").RMSNorm(WRITER_WIDTH)
        self.readout = nn.Linear(WRITER_WIDTH, alphabet, bias=False)

    def forward(self, tokens: Tensor, caches: Caches | None = None) -> tuple[Tensor, Caches]:
        """Return the logits (B, T, letters) of tokens (B, T), and the caches of all blocks."""
        x, new_caches = self.letters(tokens), []
        for block, cache in zip(self.blocks, caches or [None] * LAYERS, strict=True):
            x, new_cache = block(x, cache)
            new_caches.append(new_cache)
        return self.readout(self.norm(x)), new_caches


class Writing:
    """A writer with the text that it learns from.

    Args:
        parts: the exercises that the writer is made of.
        letters: the text.
        device: the device on which the writer is trained.
    """

    def __init__(self, parts: Parts, letters: Letters, device: str = "cpu") -> None:
        self.letters = letters
        self.device = device
        self.model = Writer(parts, len(letters.alphabet)).to(device)
        self._next_token_loss = parts.module("ex23").next_token_loss
        self._sampling = parts.module("ex24")
        self._attention = parts.module("ex05"), parts.module("ex07"), parts.module("ex19")

    def train(self, seconds: float) -> Iterator[WriterProgress]:
        """Train for about so long, and yield the progress after every step."""
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=WRITER_RATE)
        begin, step = time.monotonic(), 0
        while (elapsed := time.monotonic() - begin) < seconds:
            for group in optimizer.param_groups:
                group["lr"] = WRITER_RATE * (0.05 + 0.95 * (1 - elapsed / seconds))
            loss = self._loss(self._spans(self.letters.split[0], WRITER_BATCH))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no types there
            optimizer.step()
            step += 1
            yield WriterProgress(step, loss.item(), time.monotonic() - begin)

    @torch.no_grad()
    def held_out_loss(self) -> float:
        """Return the loss on text that the writer has never seen."""
        return float(self._loss(self._spans(self.letters.split[1], WRITER_TRIALS)))

    def _spans(self, text: Tensor, count: int) -> Tensor:
        starts = torch.randint(len(text) - SPAN, (count, 1))
        return text[starts + torch.arange(SPAN + 1)].to(self.device)  # (count, SPAN + 1)

    def _loss(self, spans: Tensor) -> Tensor:
        logits, _ = self.model(spans[:, :-1])
        loss: Tensor = self._next_token_loss(logits, spans[:, 1:])
        return loss

    @torch.no_grad()
    def continued(self, begin: str, most: int = CONTEXT) -> str:
        """Return the text with what the writer adds, letter by letter, with a cache."""
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
        """Return the attention of all letters in the heads of the last block: (H, T, T)."""
        masks, heads, positions = self._attention
        x = self._before_last(torch.tensor([self.letters.numbers(text)], device=self.device))
        block: Any = self.model.blocks[-1]
        normed = block.norm1(x)
        table = positions.rotation_table(CONTEXT, WRITER_WIDTH // HEADS)
        cosines, sines = (angles.to(self.device) for angles in table)
        query, key = (
            positions.rotate_pairs(heads.split_heads(linear(normed), HEADS), cosines, sines)
            for linear in (block.attention.w_query, block.attention.w_key)
        )
        mask = masks.causal_mask(x.size(1)).to(self.device)
        weights: Tensor = masks.masked_attention(query, key, key, mask)[1][0]
        return weights.cpu()

    def _before_last(self, tokens: Tensor) -> Tensor:
        x: Tensor = self.model.letters(tokens)
        for block in [*self.model.blocks][:-1]:
            x, _ = block(x)
        return x

    @property
    def guessing_loss(self) -> float:
        """The loss of a guess among all letters."""
        return math.log(len(self.letters.alphabet))
