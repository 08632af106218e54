"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

from torch import Tensor, nn
from torch.nn import functional as F


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads={num_heads} is no divisor of d_model={d_model}")
        self.num_heads = num_heads
        self.w_key: nn.Linear | None = None
        self.w_query, self.w_out, *more = (
            nn.Linear(d_model, d_model) for _ in range(3 if project_keys else 2)
        )
        if more:
            (self.w_key,) = more

    @staticmethod
    def _full(mask: Tensor | None, size: tuple[int, int, int, int]) -> Tensor | None:
        match mask:
            case None:
                return None
            case Tensor(ndim=3):
                return mask[:, None].expand(size)
            case _:
                return mask.expand(size)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        b, s, _ = x.shape
        h = self.num_heads
        value = x.unflatten(-1, (h, -1)).movedim(-2, 1)
        query = self.w_query(x).unflatten(-1, (h, -1)).movedim(-2, 1)
        key = value if self.w_key is None else self.w_key(x).unflatten(-1, (h, -1)).movedim(-2, 1)
        seen = self._full(mask, (b, h, s, s))
        heads = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        return self.w_out(heads.movedim(1, -2).flatten(-2))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    # (E² + E) twice, and once more for each flag
    layer = d_model * d_model + d_model
    return (layer << 1) + (layer if project_keys else 0) + (layer if project_values else 0)
