"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    """Self-attention in H heads whose values, and if asked whose keys, are slices of the input.

    Where a projection is missing, head h has its slice of the input in its place: the features h·D
    to (h+1)·D − 1 of x, as exercise 07 splits them. This is another function than multi-head
    attention, with fewer parameters, and not a faster way to the same one.

    Args:
        d_model: E, the width of input and output.
        num_heads: H; each head is D = E / H wide, and its scores are divided by √D.
        project_keys: whether keys are projected, or slices of the input like the values.

    Attributes:
        w_query, w_out: nn.Linear from E to E features, with a bias, and with the same names in
            `state_dict()`.
        w_key: another one if `project_keys`; otherwise it is None, absent, or an nn.Identity.
            There never is one for values, and no parameter beside those of these Linears.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        raise NotImplementedError("ex11 FewerProjections.__init__: not written yet")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Attend in each head, merge the heads, and send the result through `w_out`.

        There is no dropout: training and evaluation give the same. No argument is changed, and none
        need be contiguous.

        Args:
            x: (B, S, E), from which queries, keys and values all come. Scores may lie anywhere
                between −10,000 and 10,000.
            mask: bool, True = may attend. Either (S, S), the same for all samples and heads; or
                (B, S, S), one for each sample, the same for all of its heads; or (B, H, S, S). Any
                size may also be 1 and then broadcasts: (B, 1, S) is what padding_mask gives. No
                row hides every key. None hides nothing.

        Returns:
            The output alone, without weights: (B, S, E).

        >>> import torch
        >>> attention = FewerProjections(d_model=6, num_heads=2)
        >>> attention(torch.ones(1, 4, 6)).shape
        torch.Size([1, 4, 6])
        """
        raise NotImplementedError("ex11 FewerProjections.forward: not written yet")


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    """Count the parameters of an attention with these projections: every weight and every bias.

    Queries and the output are always projected. Each projection is an nn.Linear from E to E
    features with a bias.

    Args:
        d_model: E. It may be so large that no memory holds such a layer: the count is exact.
        project_keys: whether there is a projection of the keys.
        project_values: whether there is one of the values.

    Returns:
        An int.

    >>> parameter_count(d_model=6, project_keys=True, project_values=False)
    126
    """
    raise NotImplementedError("ex11 parameter_count: not written yet")
