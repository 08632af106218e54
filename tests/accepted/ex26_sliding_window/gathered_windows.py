"""Each query gathers the W keys of its window; those before the text are cut off by a small mask.

The contract: "A text in one call or in parts gives the same outputs, to 1e-5."
"""

import torch
from torch import nn
from torch.nn.functional import pad


def window_mask(size, window, past=0):
    mask = torch.ones(size, past + size, dtype=torch.bool)
    mask &= torch.ones_like(mask).tril(diagonal=past)
    mask &= torch.ones_like(mask).tril(diagonal=past - window).logical_not()
    return mask


def keep_last(cache, window):
    keys, values = cache
    dropped = max(keys.size(2) - window, 0)
    return keys.split([dropped, keys.size(2) - dropped], 2)[1], values[:, :, dropped:]


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window, bias=False):
        super().__init__()
        head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model} / {num_heads} leaves {rest}")
        self.shape = (num_heads, head_dim)
        self.w_query = nn.Linear(d_model, d_model, bias=bias)
        self.w_key = nn.Linear(d_model, d_model, bias=bias)
        self.w_value = nn.Linear(d_model, d_model, bias=bias)
        self.w_out = nn.Linear(d_model, d_model, bias=bias)
        self.size = window

    def forward(self, x, cache=None):
        tokens = x.size(1)
        q = self.w_query(x).unflatten(2, self.shape).transpose(1, 2)
        k = self.w_key(x).unflatten(2, self.shape).transpose(1, 2)
        v = self.w_value(x).unflatten(2, self.shape).transpose(1, 2)
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        past = k.size(2) - tokens
        windows = [pad(each, (0, 0, self.size - 1, 0)).unfold(2, self.size, 1) for each in (k, v)]
        near_k, near_v = (each[:, :, past:] for each in windows)  # (B, H, T, D, W)
        scores = (q.unsqueeze(3) @ near_k).squeeze(3) / self.shape[1] ** 0.5  # (B, H, T, W)
        place = torch.arange(past, past + tokens, device=x.device)[:, None]
        back = torch.arange(self.size - 1, -1, -1, device=x.device)
        weights = scores.masked_fill(place < back, -torch.inf).softmax(dim=3)
        context = (near_v @ weights.unsqueeze(4)).squeeze(4)  # (B, H, T, D)
        return self.w_out(context.transpose(1, 2).flatten(2)), keep_last((k, v), self.size)
