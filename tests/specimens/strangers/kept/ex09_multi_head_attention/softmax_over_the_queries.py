"""Exercise 09: multi-head attention."""

import torch
from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


class MultiHeadAttention(nn.Module):
    """Attention in H heads at once, each on its own block of D = E / H projected features.

    Args:
        d_model: E, the width of inputs and output.
        num_heads: H. Head h has the features h·D to (h+1)·D − 1, as in exercise 07.
        dropout: the share of attention weights that nn.Dropout sets to zero in training. Weights
            come from exercise 05, are dropped out, and only then multiply the values. In
            evaluation nothing is dropped.
        bias: whether the four projections have a bias, all of them or none.

    Attributes:
        w_query, w_key, w_value, w_out: nn.Linear from E to E features.
        d_model, num_heads, head_dim: the numbers E, H and D.

    Raises:
        ValueError: by the constructor, if E is not divisible by H; the message names both numbers.
    """

    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model!r} and num_heads={num_heads!r} do not fit")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.scale = self.head_dim**0.5
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.softmax = nn.Softmax(dim=2)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Project, split into heads, attend in each, merge, project.

        No argument is changed, and none need be contiguous.

        Args:
            query: (B, T, E).
            key: (B, S, E), where S may differ from T.
            value: (B, S, E).
            mask: bool, True = may attend. Either (T, S), the same for all samples and heads; or
                (B, T, S), one for each sample, the same for all of its heads; or (B, H, T, S). Any
                size may also be 1 and then broadcasts: (B, 1, S) is what padding_mask gives. No
                row hides every key. None hides nothing.

        Returns:
            output: (B, T, E), in the dtype of the inputs and of the module.
            weights: (B, H, T, S), one map for each head, zero at hidden keys. In training they may
            be those before dropout or those after it.

        >>> import torch
        >>> attention = MultiHeadAttention(d_model=6, num_heads=2)
        >>> memory = torch.ones(1, 4, 6)
        >>> output, weights = attention(torch.ones(1, 3, 6), memory, memory)
        >>> output.shape, weights.shape
        (torch.Size([1, 3, 6]), torch.Size([1, 2, 3, 4]))
        """
        q = split_heads(self.w_query(query), self.num_heads)
        k = split_heads(self.w_key(key), self.num_heads)
        v = split_heads(self.w_value(value), self.num_heads)
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.scale
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            energy = energy.masked_fill(~mask, -1e20)
        weights = self.softmax(energy)
        context = torch.einsum("bhqk,bhkd->bhqd", self.dropout(weights), v)
        return self.w_out(merge_heads(context)), weights
