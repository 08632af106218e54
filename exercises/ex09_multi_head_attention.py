"""Exercise 09: multi-head attention."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    """Attention in H heads at once, each on its own block of D = E / H projected features.

    Args:
        d_model: E, the width of inputs and output.
        num_heads: H. Head h has the features h·D to (h+1)·D − 1, as in exercise 07.
        dropout: the share of attention weights that nn.Dropout sets to zero in training. Weights
            come from exercise 05, are dropped out, and only then multiply the values. In
            evaluation nothing is dropped.
        bias: whether the four projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value, w_out: nn.Linear from E to E features, with the same names in
            `state_dict()`.
        d_model, num_heads, head_dim: the numbers E, H and D.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        raise NotImplementedError("ex09 MultiHeadAttention.__init__: not written yet")

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Project, split into heads, attend in each, merge, project.

        No argument is changed, and none need be contiguous. Scores may lie anywhere between −10,000
        and 10,000.

        Args:
            query: (B, T, E).
            key: (B, S, E), where S may differ from T.
            value: (B, S, E).
            mask: bool, True = may attend. Either (T, S), the same for all samples and heads; or
                (B, T, S), one for each sample, the same for all of its heads; or (B, H, T, S). Any
                size may also be 1 and then broadcasts: (B, 1, S) is what padding_mask gives. No
                row hides every key. None hides nothing.

        Returns:
            output: (B, T, E), in the dtype of the inputs and of the module.
            weights: (B, H, T, S), one map for each head, zero at hidden keys. In training they may
            be those before dropout or those after it.

        >>> import torch
        >>> attention = MultiHeadAttention(d_model=6, num_heads=2)
        >>> memory = torch.ones(1, 4, 6)
        >>> output, weights = attention(torch.ones(1, 3, 6), memory, memory)
        >>> output.shape, weights.shape
        (torch.Size([1, 3, 6]), torch.Size([1, 2, 3, 4]))
        """
        raise NotImplementedError("ex09 MultiHeadAttention.forward: not written yet")
