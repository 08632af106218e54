"""An encoder that learns to reverse sequences, and the map of where it looks."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from kata.capstone.parts import Parts

NEEDS = ("ex15",)
LENGTH, SYMBOLS, WIDTH, HIDDEN = 12, 10, 32, 64
STEPS, BATCH, TRIALS, EVERY = 60, 64, 500, 10
RATE = 1e-2


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
