"""Exercise 06: causal attention."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask, masked_attention


class CausalAttention(nn.Module):
    """One head of self-attention in which a token sees itself and the tokens before it.

    Args:
        d_in: the width of a token.
        d_out: the width of queries, keys, values and output; scores are divided by its square root.
        context_length: the most tokens that a call may bring.
        dropout: the share of attention weights that is set to zero in training, each weight by
            itself; the others are divided by the share that stays. At 1.0 none stays. Weights come
            from the softmax, are dropped out, and only then multiply the values. In evaluation
            nothing is dropped.
        bias: whether the three projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value: nn.Linear from d_in to d_out features, with the same names in
            `state_dict()`, which may have further ones.
        mask: a buffer, there from the constructor on: it is no parameter, and moves to another
            device with the module. Its shape, its dtype, what its numbers mean and whether it is
            saved with the module are free.
    """

    mask: Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float = 0.0, bias: bool = False
    ) -> None:
        super().__init__()
        raise NotImplementedError("ex06 CausalAttention.__init__: not written yet")

    def forward(self, x: Tensor) -> Tensor:
        """Project, attend to what came before, mix the values.

        x is not changed, and need not be contiguous. Scores may lie anywhere between −10,000 and
        10,000.

        Args:
            x: (B, T, d_in), for every T from 1 to context_length.

        Returns:
            (B, T, d_out). Row t depends on the tokens 0 to t alone: a later token, which is finite,
            has a weight of exactly zero, however high it scores.

        Raises:
            ValueError: if there are more tokens than context_length; the message names both
                numbers.

        >>> import torch
        >>> attention = CausalAttention(d_in=1, d_out=1, context_length=4)
        >>> attention.w_query.weight = attention.w_key.weight = nn.Parameter(torch.zeros(1, 1))
        >>> attention.w_value.weight = nn.Parameter(torch.ones(1, 1))
        >>> attention(torch.tensor([[[2.0], [4.0], [9.0]]])).tolist()
        [[[2.0], [3.0], [5.0]]]
        """
        raise NotImplementedError("ex06 CausalAttention.forward: not written yet")
