"""Exercise 14: one layer of a transformer encoder, with the norms after the sums.

Its parts come from earlier exercises: MultiHeadAttention(d_model, num_heads, dropout),
LayerNorm(d_model) and FeedForward(d_model, d_hidden, dropout), which drops out its hidden features
itself. Where one of these is not among your files yet, the reference stands in.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network: two steps, one after the other.

    In each step its output is added to its own input, and the sum is normalised.

    Args:
        d_model: E, the width of input and output.
        num_heads: H.
        d_hidden: F, the hidden width of the feed-forward network.
        dropout: acts in training, as nn.Dropout does, in four places: on the attention weights, on
            the hidden features of the feed-forward network, and on what attention and feed-forward
            network give, before it is added.

    Attributes:
        attention: the multi-head attention of exercise 09, with a bias.
        norm1: the layer norm of the first step, here and below that of exercise 12 or nn.LayerNorm;
            the choice of eps is free, as long as it is small.
        feed_forward: the feed-forward network of exercise 13.
        norm2: the layer norm of the second step. All four have the same names in `state_dict()`,
            which may have further ones; how the layer calls them is free.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("ex14 EncoderLayer.__init__: not written yet")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let each token look at the others, then work on each token by itself.

        Args:
            x: (B, S, E). Neither it nor the mask is changed, and neither need be contiguous.
            mask: as exercise 09 takes it, with T = S; True = may attend. None hides nothing.

        Returns:
            (B, S, E).

        >>> import torch
        >>> layer = EncoderLayer(d_model=6, num_heads=2, d_hidden=12)
        >>> layer(torch.ones(1, 3, 6), torch.ones(3, 3, dtype=torch.bool)).shape
        torch.Size([1, 3, 6])
        """
        raise NotImplementedError("ex14 EncoderLayer.forward: not written yet")
