"""PyTorch's fused attention on views of x; the layers are counted where nothing is stored.

The contract: "It may be so large that no memory holds such a layer: the count is exact."
"""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        super().__init__()
        if d_model // num_heads * num_heads != d_model:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.h = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        if project_keys:
            self.w_key = nn.Linear(d_model, d_model)
        self.w_out = nn.Linear(d_model, d_model)

    def heads(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.h, width // self.h).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        keys = self.w_key(x) if hasattr(self, "w_key") else x
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            mask = mask.expand(x.size(0), self.h, x.size(1), x.size(1))
        q, k, v = map(self.heads, (self.w_query(x), keys, x))
        context = scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.w_out(context.permute(0, 2, 1, 3).contiguous().view(x.shape))


def parameter_count(d_model, project_keys, project_values):
    layer = nn.Linear(d_model, d_model, device=torch.device("meta"))
    per_layer = sum(each.numel() for each in layer.parameters())
    return per_layer * [project_keys, project_values, True, True].count(True)
