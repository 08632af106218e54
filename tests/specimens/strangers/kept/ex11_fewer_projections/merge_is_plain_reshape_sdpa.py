"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn
from torch.nn import functional as F

from .ex07_heads import split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)
        self.w_key = None
        if project_keys:
            self.w_key = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        value = split_heads(x, self.num_heads)
        query = split_heads(self.w_query(x), self.num_heads)
        if self.w_key is not None:
            key = split_heads(self.w_key(x), self.num_heads)
        else:
            key = value
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        heads = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.w_out(heads.reshape(x.shape))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    one = d_model * d_model + d_model
    return one + one + one * project_keys + one * project_values
