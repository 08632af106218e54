"""One product for queries, keys and values, and a stack that is taken apart.

The contract: "w_query, w_key, w_value, w_out: nn.Linear from E to E features, with the same names
in `state_dict()`, which may have further ones."
"""

import torch
from torch import nn

from .ex05_causal_masks import masked_attention
from .ex07_heads import merge_heads
from .ex19_rotary_positions import rotate_pairs, rotation_table


def causal_mask_after(past, size):
    before = torch.ones(size, past, dtype=torch.bool)
    return torch.cat((before, torch.ones(size, size, dtype=torch.bool).tril()), dim=1)


class CachedAttention(nn.Module):
    def __init__(self, d_model, num_heads, context_length, bias=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} does not go into num_heads={num_heads}")
        self.num_heads, self.has_bias = num_heads, bias
        for name in ("w_query", "w_key", "w_value", "w_out"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=bias))
        self.register_buffer(
            "table",
            torch.stack(rotation_table(context_length, d_model // num_heads)),
            persistent=False,
        )

    def forward(self, x, cache=None):
        layers = (self.w_query, self.w_key, self.w_value)
        weight = torch.cat([each.weight for each in layers])
        bias = torch.cat([each.bias for each in layers]) if self.has_bias else None
        stack = nn.functional.linear(x, weight, bias)  # (B, T, 3E)
        stack = stack.unflatten(-1, (3, self.num_heads, -1)).permute(
            2, 0, 3, 1, 4
        )  # (3, B, H, T, D)
        past = 0 if cache is None else cache[0].shape[2]
        turned = rotate_pairs(stack[:2], *self.table, past)  # queries and keys at once
        new = torch.stack((turned[1], stack[2]))
        kept = new if cache is None else torch.cat((torch.stack(cache), new), dim=-2)
        mask = causal_mask_after(past, x.shape[1]).to(x.device)
        context, _ = masked_attention(turned[0], kept[0], kept[1], mask)
        return self.w_out(merge_heads(context)), (kept[0], kept[1])
