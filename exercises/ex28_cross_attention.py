"""Exercise 28: a decoder layer that reads a memory, with the norms after the sums.

It is the counterpart of the encoder layer of exercise 14, in the model that translates: the memory
is what the encoder gives for the source text. Its parts come from earlier exercises:
MultiHeadAttention(d_model, num_heads, dropout), LayerNorm(d_model) and FeedForward(d_model,
d_hidden, dropout), which drops out its hidden features itself. Where one of these is not among your
files yet, the reference stands in.
"""

if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

import torch
from torch import Tensor, nn

from .ex05_causal_masks import causal_mask
from .ex09_multi_head_attention import MultiHeadAttention
from .ex12_layer_norm import LayerNorm
from .ex13_feed_forward import FeedForward


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to a memory, then a feed-forward network: three steps.

    Each step adds its output to what it reads of the text, and normalises the sum.

    Args:
        d_model: E, the width of input, memory and output.
        num_heads: H.
        d_hidden: F, the hidden width of the feed-forward network.
        dropout: acts in training, as nn.Dropout does: on the weights of both attentions, on the
            hidden features of the feed-forward network, and on what each of the three gives, before
            it is added.

    Attributes:
        self_attention: the multi-head attention of exercise 09, with a bias, for the first step.
        norm1: the layer norm of the first step. All three are those of exercise 12 or nn.LayerNorm;
            the choice of eps is free, as long as it is small.
        cross_attention: another one, with a bias too, for the second step.
        norm2: the layer norm of the second step.
        feed_forward: the feed-forward network of exercise 13.
        norm3: the layer norm of the third step. All six have the same names in `state_dict()`,
            which may have further ones. The results count, not how the layer calls its parts.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("ex28 DecoderLayer.__init__: not written yet")

    def forward(self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        """Let each token look at the text so far, then at the memory; then work on it by itself.

        In the first step each token attends to itself and to those before it. In the second step
        queries come from what the first one gave, keys and values from the memory, of which no
        causal mask hides anything.

        Args:
            x: (B, T, E): the text so far. None of the arguments is changed, and none need be
                contiguous.
            memory: (B, S, E), where S may differ from T.
            memory_mask: bool, True = may attend to this place of the memory; as exercise 09 takes
                masks, so that (B, 1, S), what padding_mask gives, hides padding. It has no
                effect on the first step. No row hides everything. None hides nothing.

        Returns:
            (B, T, E).

        >>> import torch
        >>> layer = DecoderLayer(d_model=6, num_heads=2, d_hidden=12)
        >>> layer(torch.ones(1, 3, 6), torch.ones(1, 5, 6)).shape
        torch.Size([1, 3, 6])
        """
        raise NotImplementedError("ex28 DecoderLayer.forward: not written yet")
