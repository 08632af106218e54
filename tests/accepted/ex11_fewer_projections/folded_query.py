"""The key projection never makes keys: it is folded into the queries, head by head.

(W_q x + b_q) · (W_k y + b_k) is a query in the space of y, plus a constant of each query that the
softmax takes away.

The contract: "another one if `project_keys`; otherwise it is None, absent, or an nn.Identity."
"""

import torch
from torch import nn

from .ex05_causal_masks import mask_scores
from .ex07_heads import merge_heads, split_heads


class FewerProjections(nn.Module):
    def __init__(self, d_model: int, num_heads: int, project_keys: bool = True) -> None:
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(f"{d_model=} is not divisible by {num_heads=}")
        self.d_model, self.num_heads = d_model, num_heads
        self.w_query = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)
        self.project_keys = project_keys
        if self.project_keys:
            self.w_key = nn.Linear(d_model, d_model)

    def scores(self, x):
        queries = split_heads(self.w_query(x), self.num_heads)
        if not self.project_keys:
            return queries.matmul(split_heads(x, self.num_heads).mT)
        turned = queries @ self.w_key.weight.view(self.num_heads, -1, self.d_model)  # (B, H, S, E)
        constant = queries @ self.w_key.bias.view(self.num_heads, -1, 1)
        return turned @ x[:, None].mT + constant

    def forward(self, x, mask=None):
        scores = self.scores(x) * (self.num_heads / self.d_model) ** 0.5
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        if mask is not None:
            scores = mask_scores(scores, mask)
        weights = torch.softmax(scores, dim=3)
        return self.w_out(merge_heads(weights.matmul(split_heads(x, self.num_heads))))


def parameter_count(d_model: int, project_keys: bool, project_values: bool) -> int:
    full = 4 * d_model * (d_model + 1)
    missing = (not project_keys) + (not project_values)
    return full - missing * full // 4
