"""A small decoder that learns to write, letter by letter."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from kata.capstone.letters import Letters
from kata.capstone.parts import Parts

NEEDS = ("ex22", "ex23", "ex24")
WIDTH, HEADS, HIDDEN, LAYERS, CONTEXT = 96, 4, 192, 3, 128
BATCH, SPAN, RATE = 16, 96, 4e-3
TEMPERATURE, TOP_P = 0.8, 0.95
TRIALS = 64  # spans of the text that was held out
Caches = Sequence[object]


@dataclass(frozen=True)
class Reached:
    """How far the training is."""

    step: int
    loss: float
    seconds: float


class Writer(nn.Module):
    """Letters in, logits of the next letter out; blocks and norm are those of the exercises."""

    def __init__(self, parts: Parts, alphabet: int) -> None:
        super().__init__()
        block = parts.of("ex22").DecoderBlock
        self.letters = nn.Embedding(alphabet, WIDTH)
        nn.init.normal_(self.letters.weight, std=0.5)
        self.blocks = nn.ModuleList(
            block(WIDTH, HEADS, HIDDEN, CONTEXT, dropout=0.0) for _ in range(LAYERS)
        )
        self.norm = parts.of("ex20").RMSNorm(WIDTH)
        self.readout = nn.Linear(WIDTH, alphabet, bias=False)

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

    def learned(self, seconds: float) -> Iterator[Reached]:
        """Train for about so long, and yield how far the writer is."""
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=RATE)
        begin, step = time.monotonic(), 0
        while (passed := time.monotonic() - begin) < seconds:
            for group in optimizer.param_groups:
                group["lr"] = RATE * (0.05 + 0.95 * (1 - passed / seconds))
            loss = self._cost(self._spans(self.letters.split[0], BATCH))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no types there
            optimizer.step()
            step += 1
            yield Reached(step, loss.item(), time.monotonic() - begin)

    @torch.no_grad()
    def held_out(self) -> float:
        """The loss on text that it has never seen."""
        return float(self._cost(self._spans(self.letters.split[1], TRIALS)))

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
        table = [part.to(self.device) for part in positions.rotation_table(CONTEXT, WIDTH // HEADS)]
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
