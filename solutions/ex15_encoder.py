"""Exercise 15: a transformer encoder, which is layers of exercise 14 on top of one another."""

from torch import Tensor, nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    """N encoder layers, each with weights of its own, equal at first or not, one after the other.

    There is nothing before the first layer and nothing after the last: no embedding, no positions,
    no further norm.

    Args:
        d_model: E, the width of input and output.
        num_heads: H, in every layer.
        d_hidden: F, the hidden width of the feed-forward network of every layer.
        num_layers: N, at least one.
        dropout: given to every layer; the encoder itself drops nothing.

    Attributes:
        layers: N layers of exercise 14, the first one first, with the names in `state_dict()` that
            an nn.ModuleList gives them, and perhaps further ones; how they are called is free.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(
        self, d_model: int, num_heads: int, d_hidden: int, num_layers: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        layers = [EncoderLayer(d_model, num_heads, d_hidden, dropout) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Send x through all layers; what one gives is what the next one gets.

        Args:
            x: (B, S, E). Neither it nor the mask is changed, and neither need be contiguous.
            mask: as exercise 09 takes it, with T = S; True = may attend. Every layer gets the same
                mask. None hides nothing.

        Returns:
            (B, S, E), the output of the last layer alone.

        >>> import torch
        >>> encoder = Encoder(d_model=6, num_heads=2, d_hidden=12, num_layers=3)
        >>> encoder(torch.ones(1, 4, 6), torch.ones(4, 4, dtype=torch.bool)).shape
        torch.Size([1, 4, 6])
        """
        for layer in self.layers:
            x = layer(x, mask)  # (B, S, E)
        return x
