"""Exercise 26: attention that looks back over a window of tokens, however long the text becomes.

What lies behind the window is not needed any more. So the keys and values that a model keeps while
it writes do not grow with the text. Nothing here changes its arguments.
"""

import torch
from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


def window_mask(size: int, window: int, past: int = 0) -> Tensor:
    """Let each token attend to the last `window` tokens, itself among them.

    Args:
        size: the number T of new tokens, each of them a query, 1 or more.
        window: how many tokens each may attend to at most, 1 or more.
        past: the number P of tokens before the new ones whose keys are there, 0 or more.

    Returns:
        bool (T, P + T): row t, column s is True where new token t may attend to key s; the keys of
        the earlier tokens come first. No token attends to a later one.

    >>> window_mask(3, window=2).int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    causal = torch.ones(size, past + size, dtype=torch.bool).tril(past)  # (T, P + T)
    return causal.triu(past - window + 1)  # (T, P + T)


def keep_last(cache: tuple[Tensor, Tensor], window: int) -> tuple[Tensor, Tensor]:
    """Forget the keys and values of all tokens but the last `window`.

    Args:
        cache: keys and values, each (B, H, P, D), of any float dtype, which stays; P is 1 or more.
            They are not changed, and need not be contiguous.
        window: how many tokens to keep, 1 or more; if there are fewer, all are kept.

    Returns:
        keys, values: each (B, H, P or window, D), whichever is less, in the same order. Gradients
        flow back to the cache. Views and copies are both right. A view keeps the memory of all that
        it was cut from.

    >>> keys = torch.arange(3.0).view(1, 1, 3, 1)
    >>> keep_last((keys, keys), 2)[0].flatten().tolist()
    [1.0, 2.0]
    """
    keys, values = cache
    return keys[..., -window:, :], values[..., -window:, :]


class WindowAttention(nn.Module):
    """Self-attention in H heads, in which each token attends to the last W tokens, itself included.

    Each head attends as masked_attention of exercise 05 does, which divides scores by √D. Nothing
    is remembered between calls but what is in the cache, and nothing depends on the mode.

    Args:
        d_model: E, the width of input and output.
        num_heads: H. Head h has the features h·D to (h+1)·D − 1, with D = E / H, as in exercise 07.
        window: W, 1 or more.
        bias: whether the four projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value, w_out: nn.Linear from E to E features, with the same names in
            `state_dict()`, which may have further ones.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int, window: int, bias: bool = False) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"a width of {d_model} is not divisible by {num_heads} heads")
        self.num_heads = num_heads
        self.window = window
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Attend from the new tokens to those of their window, in this call and before it.

        A text in one call or in parts gives the same outputs, to 1e-5. Gradients flow to x, to the
        cache and to the parameters.

        Args:
            x: (B, T, E): the new tokens, T of them, 1 or more and also more than W, on the device
                and in the dtype of the parameters. It is not changed, and need not be contiguous.
            cache: what the call before has returned; None for the first call. It is not changed,
                need not be contiguous, and may be used for more than one call.

        Returns:
            output: (B, T, E), for the new tokens, in the dtype of x.
            cache: keys and values of the last W tokens so far, each (B, H, W, D); of all tokens, as
            long as there are fewer. They stand in the order of the text, and are what w_key and
            w_value give. What was returned is never changed by a later call.

        >>> attention = WindowAttention(d_model=8, num_heads=2, window=4)
        >>> _, cache = attention(torch.ones(1, 7, 8))
        >>> output, cache = attention(torch.ones(1, 1, 8), cache)
        >>> output.shape, cache[0].shape
        (torch.Size([1, 1, 8]), torch.Size([1, 2, 4, 4]))
        """
        queries = split_heads(self.w_query(x), self.num_heads)  # (B, H, T, D)
        keys = split_heads(self.w_key(x), self.num_heads)  # (B, H, T, D)
        values = split_heads(self.w_value(x), self.num_heads)  # (B, H, T, D)
        if cache is not None:
            keys = torch.cat((cache[0], keys), dim=-2)  # (B, H, P + T, D)
            values = torch.cat((cache[1], values), dim=-2)  # (B, H, P + T, D)
        past = keys.size(-2) - x.size(1)
        mask = window_mask(x.size(1), self.window, past).to(x.device)  # (T, P + T)
        context, _ = masked_attention(queries, keys, values, mask)  # (B, H, T, D)
        return self.w_out(merge_heads(context)), keep_last((keys, values), self.window)
