"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} features do not split into {num_heads} heads")
        self.num_heads = num_heads
        self.scale = (d_model // num_heads) ** -0.5
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        values = split_heads(x, self.num_heads)
        queries = split_heads(self.w_query(x), self.num_heads)
        keys = values if self.w_key is None else split_heads(self.w_key(x), self.num_heads)
        keys *= self.scale
        scores = queries.matmul(keys.mT)
        if mask is not None:
            mask = mask if mask.dim() != 3 else mask[:, None, :, :]
            scores = scores.masked_fill(~mask, float("-inf"))
        return self.w_out(merge_heads(scores.softmax(-1).matmul(values)))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    return sum((1, project_keys, project_values, 1)) * d_model * (1 + d_model)
