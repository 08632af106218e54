"""Softmax in a stream over the keys: a running maximum, and no map is ever kept.

The contract: "The output alone, without weights"
"""

import torch
from torch import Tensor, nn


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        self.width, remainder = divmod(d_model, num_heads)
        if remainder:
            message = f"d_model / num_heads = {d_model} / {num_heads} leaves {remainder}"
            raise ValueError(message)
        names = ["w_query", "w_key", "w_out"] if project_keys else ["w_query", "w_out"]
        for name in names:
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        split = [x.unfold(-1, self.width, self.width).movedim(2, 1)]
        for name in ("w_query", "w_key"):
            layer = getattr(self, name, nn.Identity())
            split.append(layer(x).unfold(-1, self.width, self.width).movedim(2, 1))
        v, q, k = split
        if mask is not None:
            mask = mask.unsqueeze(-3) if mask.ndim == 3 else mask
            mask = mask.expand(len(x), q.size(1), x.size(1), x.size(1))
        top = q.new_full(q.shape[:3], torch.finfo(q.dtype).min)
        total, context = torch.zeros_like(top), torch.zeros_like(q)
        for s in range(x.size(1)):
            score = (q * k[:, :, s : s + 1]).sum(-1) / self.width**0.5
            if mask is not None:
                score = score.masked_fill(mask[..., s].logical_not(), -torch.inf)
            higher = torch.maximum(top, score.detach())
            fade, power = (top - higher).exp(), (score - higher).exp()
            total = total * fade + power
            context = context * fade[..., None] + power[..., None] * v[:, :, s : s + 1]
            top = higher
        return self.w_out((context / total[..., None]).transpose(1, 2).flatten(2))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    shapes = [(d_model, d_model), (d_model, 1)]
    flags = (True, True, project_keys, project_values)
    return sum(rows * columns for flag in flags if flag for rows, columns in shapes)
