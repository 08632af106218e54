"""A loop over heads, each with its block of features; the mask is a Toeplitz band of differences.

The contract: "Head h has the features h·D to (h+1)·D − 1, with D = E / H, as in exercise 07."
"""

import torch
from torch import Tensor, nn


def window_mask(size: int, window: int, past: int = 0) -> Tensor:
    ones = torch.ones(size, past + size)
    seen = torch.triu(torch.tril(ones, past), past + 1 - window)
    return seen > 0


def keep_last(cache: tuple[Tensor, Tensor], window: int) -> tuple[Tensor, Tensor]:
    kept = []
    for each in cache:
        numbers = torch.arange(each.shape[2], device=each.device)[-window:]
        kept.append(each.index_select(2, numbers))
    return kept[0], kept[1]


class WindowAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, window: int, bias: bool = False) -> None:
        super().__init__()
        if d_model % num_heads > 0:
            raise ValueError(
                f"Width {d_model} must be a multiple of the number of heads {num_heads}"
            )
        self.num_heads, self.window = num_heads, window
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        layers = (self.w_query, self.w_key, self.w_value)
        queries, keys, values = (list(layer(x).chunk(self.num_heads, dim=2)) for layer in layers)
        outputs = []
        for head, query in enumerate(queries):
            if cache is not None:
                keys[head] = torch.cat((cache[0][:, head], keys[head]), dim=1)
                values[head] = torch.cat((cache[1][:, head], values[head]), dim=1)
            outputs.append(self._attend(query, keys[head], values[head]))
        whole = torch.stack(keys, dim=1), torch.stack(values, dim=1)
        return self.w_out(torch.cat(outputs, dim=2)), keep_last(whole, self.window)

    def _attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        mask = window_mask(query.size(1), self.window, key.size(1) - query.size(1))
        scores = torch.bmm(query, key.mT) / query.size(2) ** 0.5
        lowest = torch.finfo(scores.dtype).min
        scores = torch.where(mask.to(scores.device), scores, lowest)
        return torch.bmm(scores.softmax(dim=2), value)
