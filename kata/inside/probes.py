"""Modules that a suite passes to a learner's function, made in the process of the learner's code.

`objects` makes them when a claim asks for one by name. They are as plain as their purpose allows,
and none gives away the answer to an exercise.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def linear(features: int, width: int, *, bias: bool = True) -> nn.Module:
    """Make a layer to be fused with others."""
    return nn.Linear(features, width, bias=bias)


class Projections(nn.Module):
    """The parts of a multi-head attention by their names; it computes nothing."""

    def __init__(self, d_model: int, num_heads: int, *, bias: bool = True) -> None:
        super().__init__()
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)


class Trainee(nn.Module):
    """An attention to be trained, through the built-in kernel.

    Args:
        d_model: the width.
        num_heads: among how many heads it is shared.
        dropout: on the output, in training.
        pair: whether it returns (output, None) instead of the output.
        beside: how many None follow the output, if not one.
        masked: whether it does what its mask says.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        dropout: float = 0.0,
        pair: bool = True,
        beside: int = 1,
        masked: bool = True,
    ) -> None:
        super().__init__()
        self.num_heads, self.pair, self.beside, self.masked = num_heads, pair, beside, masked
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model)
        self.w_value = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> object:
        """Attend, and return a tensor or a pair; the mask may be None, but not be left out."""
        q = self._heads(self.w_query(query))
        k, v = self._heads(self.w_key(key)), self._heads(self.w_value(value))
        allowed = mask if mask is None or mask.dim() < 3 else mask[:, None]
        allowed = allowed if self.masked else None
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        output = self.dropout(self.w_out(mixed.transpose(1, 2).flatten(2)))
        return (output, *[None] * self.beside) if self.pair else output

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], self.num_heads, -1).transpose(1, 2)


class Writer(nn.Module):
    """A language model; what it says depends on every token that it reads, and on its place.

    Args:
        vocabulary: how many tokens there are.
        width: of an embedding.
        context_length: the most tokens that it can read; more of them raise an error.
        dropout: on what it has read, in training.
        plain: whether it is passed as a function, with nothing else of a module.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int,
        context_length: int,
        *,
        dropout: float = 0.0,
        plain: bool = False,
    ) -> None:
        super().__init__()
        self.calls = 0
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(context_length, width))
        self.dropout = nn.Dropout(dropout)
        self.readout = nn.Linear(width, vocabulary)
        self.plain_function = _function(self) if plain else None

    def forward(self, tokens: Tensor) -> Tensor:
        """Read tokens (B, T) from left to right, and give logits (B, T, V)."""
        self.calls += 1
        count, most = tokens.size(1), len(self.positions)
        if not 1 <= count <= most:
            raise ValueError(f"the model reads 1 to {most} tokens, and was given {count}")
        placed = self.embedding(tokens) * self.positions[:count]
        so_far = torch.arange(1, count + 1, device=tokens.device)[:, None]
        read = self.dropout(placed.cumsum(dim=1) / so_far)  # the mean of all up to here
        logits: Tensor = self.readout(read)
        return logits


def _function(model: nn.Module) -> Callable[[Tensor], Tensor]:
    """Make a function that can be called like this model, and has nothing else of it."""

    def call(tokens: Tensor) -> Tensor:
        logits: Tensor = model(tokens)
        return logits

    return call


PROBES: dict[str, Callable[..., nn.Module]] = {
    "linear": linear,
    "projections": Projections,
    "trainee": Trainee,
    "writer": Writer,
}
