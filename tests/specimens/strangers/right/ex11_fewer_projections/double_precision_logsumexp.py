"""Exercise 11: attention with fewer projections, and which functions are lost with them."""

import operator
from functools import reduce

import torch
from torch import Tensor, nn


class FewerProjections(nn.Module):
    """Scores by einsum in double precision, weights as exp of a difference."""

    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        super().__init__()
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_key = nn.Linear(d_model, d_model) if project_keys else None
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        heads = (*x.shape[:2], self.num_heads, x.shape[2] // self.num_heads)
        v = x.double().reshape(heads)
        q = self.w_query(x).double().reshape(heads)
        k = v if self.w_key is None else self.w_key(x).double().reshape(heads)
        scores = torch.einsum("bthd,bshd->bhts", q, k).div(heads[-1] ** 0.5)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = torch.where(mask, scores, scores.new_tensor(float("-inf")))
        weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
        out = torch.einsum("bhts,bshd->bthd", weights, v)
        return self.w_out(out.reshape(x.shape).to(x.dtype))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    shapes = [(d_model, d_model), (d_model,)] * (2 + project_keys + project_values)
    return sum(reduce(operator.mul, shape) for shape in shapes)
