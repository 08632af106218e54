"""An encoder as a stack of layers."""

from torch import Tensor, nn

from .ex14_encoder_layer import EncoderLayer


class Encoder(nn.Module):
    """N encoder layers, one after the other."""

    def __init__(
        self, d_model: int, num_heads: int, d_hidden: int, num_layers: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_hidden, dropout) for _ in range(num_layers)]
        )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Send x through each layer in turn."""
        for layer in self.layers:
            x = layer(x, mask)
        return x
