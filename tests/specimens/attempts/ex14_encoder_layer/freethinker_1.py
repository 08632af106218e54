"""Exercise 14: one layer of a transformer encoder, with the norms after the sums."""

from torch import Tensor, nn

from .ex09_multi_head_attention import MultiHeadAttention
from .ex13_feed_forward import FeedForward


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network; after each, add the input and normalise.

    Args:
        d_model: E, the width of input and output.
        num_heads: H.
        d_hidden: F, the hidden width of the feed-forward network.
        dropout: acts in training in four places: on the attention weights, on the hidden features
            of the feed-forward network, and on the output of each of the two before it is added.

    Attributes:
        attention: the multi-head attention of exercise 09, from E to E features.
        norm1: the layer norm after attention: exercise 12's, or nn.LayerNorm.
        feed_forward: the feed-forward network of exercise 13.
        norm2: the layer norm after the feed-forward network.

    Raises:
        ValueError: if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_hidden, dropout=dropout)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let each token look at the others, then work on each token by itself.

        Args:
            x: (B, S, E); it stays as it is.
            mask: as exercise 09 takes it, True = may attend; None hides nothing.

        Returns:
            (B, S, E).

        >>> import torch
        >>> layer = EncoderLayer(d_model=6, num_heads=2, d_hidden=12)
        >>> layer(torch.ones(1, 3, 6), torch.ones(3, 3, dtype=torch.bool)).shape
        torch.Size([1, 3, 6])
        """
        attended, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
