"""Exercise 08: several heads, each a self-attention of its own, kept in a list."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex03_self_attention import SelfAttention


class HeadsInAList(nn.Module):
    """H self-attentions on the same tokens, their outputs side by side and then projected.

    Args:
        d_model: E, the width of input and output.
        num_heads: H. Each head is D = E / H wide.

    Attributes:
        heads: nn.ModuleList of H SelfAttention of exercise 03, each its own, from E to D features,
            with biases.
        w_out: nn.Linear from E to E features, with a bias. Both have the same names in
            `state_dict()`.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("ex08 HeadsInAList.__init__: not written yet")

    def forward(self, x: Tensor) -> Tensor:
        """Ask every head, put the answers side by side, project.

        Each head sees all E features of x. The output of head h becomes the features h·D to
        (h+1)·D − 1 of what w_out gets; features and heads are counted from 0, and the last feature
        named belongs to the head. Training and evaluation are the same. x is not changed, and need
        not be contiguous.

        Args:
            x: (B, S, E): samples, tokens, features.

        Returns:
            (B, S, E).

        >>> HeadsInAList(d_model=6, num_heads=2)(torch.ones(1, 4, 6)).shape
        torch.Size([1, 4, 6])
        """
        raise NotImplementedError("ex08 HeadsInAList.forward: not written yet")
