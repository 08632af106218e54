"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model=} is no multiple of {num_heads=}")
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        B, S, E = x.size()
        H, D = self.num_heads, self.head_dim
        keys = x if self.w_key is None else self.w_key(x)
        q = self.w_query(x).reshape(B, S, H, D).permute(0, 2, 1, 3)
        k = keys.reshape(B, S, H, D).permute(0, 2, 1, 3)
        v = x.reshape(B, S, D, H).permute(0, 3, 1, 2)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(dim=1)
        context, _ = masked_attention(q, k, v, mask)
        return self.w_out(context.permute(0, 2, 1, 3).reshape(B, S, E))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    weights = d_model * d_model
    biases = d_model
    number = len([p for p in (True, project_keys, project_values, True) if p])
    return number * (weights + biases)
