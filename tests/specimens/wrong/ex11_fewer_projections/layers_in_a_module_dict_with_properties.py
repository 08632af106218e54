"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    """The layers live in a ModuleDict; the contract's names are properties that look them up."""

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.num_heads = num_heads
        wanted = ["query", "key", "out"] if project_keys else ["query", "out"]
        self.layers = nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in wanted})

    @property
    def w_query(self) -> nn.Linear:
        return self.layers["query"]

    @property
    def w_key(self) -> nn.Linear | None:
        return self.layers["key"] if "key" in self.layers else None

    @property
    def w_out(self) -> nn.Linear:
        return self.layers["out"]

    def _role(self, name: str, x: Tensor) -> Tensor:
        projected = self.layers[name](x) if name in self.layers else x
        return split_heads(projected, self.num_heads)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        roles = [self._role(name, x) for name in ("query", "key", "value")]
        if mask is not None:
            # (S, S) -> (1, 1, S, S); (B, S, S) -> (B, 1, S, S)
            *front, rows, columns = mask.shape
            front = [1, 1] if not front else [front[0], 1] if len(front) == 1 else front
            mask = mask.reshape(*front, rows, columns)
        output, _ = masked_attention(*roles, mask)
        return self.w_out(merge_heads(output))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    columns_with_bias = d_model + 1
    return d_model * columns_with_bias * [True, True, project_keys, project_values].count(True)
