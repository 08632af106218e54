"""Exercise 21: causal attention that keeps the keys and values of earlier tokens.

A text that is written token by token is not read again for each new one: the key and the value of a
token never change, so they are computed once and kept.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads
from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past: int, size: int) -> Tensor:
    """Let each of `size` new tokens attend to itself and to every earlier one.

    Args:
        past: the number P of tokens before the new ones, 0 or more.
        size: the number T of new tokens, 1 or more, each of them a query.

    Returns:
        bool (T, P + T): row t, column s is True where new token t may attend to key s; the keys of
        the earlier tokens come first.

    >>> causal_mask_after(past=1, size=2).int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    raise NotImplementedError("ex21 causal_mask_after: not written yet")


class CachedAttention(nn.Module):
    """Causal self-attention in H heads with rotary positions, over the tokens of one call or many.

    The module keeps nothing of a call: all that it knows of a text is in the cache, so that calls
    for several texts, each with its own cache, may alternate. It computes on the device that it was
    moved to, in float32 or float64.

    Args:
        d_model: E, the width of input and output.
        num_heads: H. Head h has the features h·D to (h+1)·D − 1, as in exercise 07; D = E / H is
            even.
        context_length: the largest number of tokens of a text, those of all calls together.
        bias: whether the four projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value, w_out: nn.Linear from E to E features, with the same names in
            `state_dict()`, which may have further ones.
        cos, sin: a place for what rotation_table gives, as buffers for instance; not judged.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    cos: Tensor
    sin: Tensor

    def __init__(
        self, d_model: int, num_heads: int, context_length: int, bias: bool = False
    ) -> None:
        super().__init__()
        raise NotImplementedError("ex21 CachedAttention.__init__: not written yet")

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Attend from the new tokens to themselves and to all before them.

        In each head, queries and keys are turned as rotate_pairs of exercise 19 does, with the
        default base of rotation_table; values are not. The first token of the first call is at
        position 0, and counting goes on from call to call. Each query attends to itself and to
        every earlier token as masked_attention of exercise 05 does; merged heads go through w_out.
        A text gives the same outputs, to 1e-5, and the same gradients, whether it comes in one
        call or in parts. Gradients flow back to the projections, to x, and through the cache to
        earlier tokens.

        Args:
            x: (B, T, E): the new tokens. It is not changed, and need not be contiguous.
            cache: what the call before has returned; None for the first call. It is not changed,
                and its tensors need not be contiguous.

        Returns:
            output: (B, T, E), for the new tokens.
            cache: keys and values, each (B, H, P + T, D), of the P tokens before and the T new ones
            in this order. Keys are kept as they are after turning.

        Raises:
            ValueError: if P + T is above context_length; the message names that sum, and
            context_length.

        >>> attention = CachedAttention(d_model=8, num_heads=2, context_length=16)
        >>> _, cache = attention(torch.ones(1, 3, 8))
        >>> output, (keys, values) = attention(torch.ones(1, 1, 8), cache)
        >>> output.shape, keys.shape
        (torch.Size([1, 1, 8]), torch.Size([1, 2, 4, 4]))
        """
        raise NotImplementedError("ex21 CachedAttention.forward: not written yet")
