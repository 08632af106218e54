"""Exercise 09: multi-head attention."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    """Attention in H heads at once, each on its own block of D = E / H projected features.

    Args:
        d_model: E, the width of inputs and output.
        num_heads: H.
        dropout: the share of attention weights that is dropped in training, before the weights
            meet the values. In evaluation nothing is dropped.
        bias: whether all four projections have a bias.

    Attributes:
        w_query, w_key, w_value, w_out: nn.Linear from E to E features.
        d_model, num_heads, head_dim: the numbers E, H and D.

    Raises:
        ValueError: if E is not divisible by H; the message names both numbers.
    """

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model = {d_model} is not divisible by num_heads = {num_heads}")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Project, split into heads, attend in each, merge, project.

        Args:
            query: (B, T, E).
            key: (B, S, E), where S may differ from T.
            value: (B, S, E).
            mask: bool, True = may attend: (T, S) for all samples, (B, T, S) with one for each
                sample, or (B, 1 or H, T, S); any size may be 1 and then broadcasts. Every query
                may attend to at least one key.

        Returns:
            output: (B, T, E), in the dtype of the inputs.
            weights: (B, H, T, S), one map for each head. In training they may be those before
            dropout or those after it.

        >>> import torch
        >>> attention = MultiHeadAttention(d_model=6, num_heads=2)
        >>> memory = torch.ones(1, 4, 6)
        >>> output, weights = attention(torch.ones(1, 3, 6), memory, memory)
        >>> output.shape, weights.shape
        (torch.Size([1, 3, 6]), torch.Size([1, 2, 3, 4]))
        """
        q = split_heads(self.w_query(query), self.num_heads)  # (B, H, T, D)
        k = split_heads(self.w_key(key), self.num_heads)  # (B, H, S, D)
        v = split_heads(self.w_value(value), self.num_heads)  # (B, H, S, D)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) to (B, 1, T, S), the same for all heads
        # masked_attention knows no dropout, so take only its weights and mix the values again
        _, weights = masked_attention(q, k, v, mask)
        weights = self.dropout(weights)
        output = weights @ v
        return self.w_out(merge_heads(output)), weights
