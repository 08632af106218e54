"""Exercise 22: one block of a decoder, with the norms before its two steps.

Its parts come from earlier exercises: CachedAttention(d_model, num_heads, context_length),
RMSNorm(d_model) and SwiGLU(d_model, d_hidden). Where one of these is not among your files yet, the
reference stands in.
"""

from torch import Tensor, nn

from .ex20_norm_and_gate import RMSNorm, SwiGLU
from .ex21_kv_cache import CachedAttention


class DecoderBlock(nn.Module):
    """Causal attention, then a feed-forward network: two steps, one after the other.

    Each step reads its input normalised, and adds its output to the input as it was before the
    norm. So there is a path from input to output on which there is no norm. Like its attention the
    block keeps nothing of a call, and computes on the device that it was moved to.

    Args:
        d_model: E, the width of input and output.
        num_heads: H.
        d_hidden: F, the hidden width of the feed-forward network.
        context_length: the largest number of tokens of a text, those of all calls together.
        dropout: acts in training, as nn.Dropout does, in two places and nowhere else: on the output
            of the attention and on that of the feed-forward network, before each is added.

    Attributes:
        norm1: the RMSNorm of the first step, that of exercise 20 with its default eps.
        attention: the cached attention of exercise 21, without a bias.
        norm2: the RMSNorm of the second step, with the default eps too.
        feed_forward: the gated network of exercise 20. All four have the same names in
            `state_dict()`, which may have further ones. The results count, not how the block calls
            its parts.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_hidden: int, context_length: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.norm1 = RMSNorm(d_model)
        self.attention = CachedAttention(d_model, num_heads, context_length)
        self.norm2 = RMSNorm(d_model)
        self.feed_forward = SwiGLU(d_model, d_hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Let each token look at itself and at those before it, then work on each token by itself.

        Args:
            x: (B, T, E): the new tokens. It is not changed, and need not be contiguous.
            cache: what the call before has returned; None for the first call. It is not changed.

        Returns:
            x: (B, T, E), for the new tokens.
            cache: that of the attention, as exercise 21 returns it.

        Raises:
            ValueError: by the attention, if there are more tokens than context_length; the message
            names both numbers, as in exercise 21.

        >>> import torch
        >>> block = DecoderBlock(d_model=8, num_heads=2, d_hidden=12, context_length=16)
        >>> x, cache = block(torch.ones(1, 3, 8))
        >>> x.shape, cache[0].shape
        (torch.Size([1, 3, 8]), torch.Size([1, 2, 3, 4]))
        """
        attended, cache = self.attention(self.norm1(x), cache)  # (B, T, E)
        x = x + self.dropout(attended)  # (B, T, E)
        return x + self.dropout(self.feed_forward(self.norm2(x))), cache  # (B, T, E)
