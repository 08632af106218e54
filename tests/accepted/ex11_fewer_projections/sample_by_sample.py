"""Plain loops over samples, heads and queries, for somebody who wants to see every vector.

The contract: "Attend in each head, merge the heads, and send the result through `w_out`."
"""

import torch
from torch import nn


def allowed(mask, sample, head, token):
    """The row of the mask for one query; an axis of length 1 stands for all."""
    rows = mask
    if mask.dim() == 4:
        rows = mask[sample if len(mask) > 1 else 0]
        rows = rows[head if len(rows) > 1 else 0]
    elif mask.dim() == 3:
        rows = mask[sample if len(mask) > 1 else 0]
    return rows[token if len(rows) > 1 else 0]


class FewerProjections(nn.Module):
    def __init__(self, d_model, num_heads, project_keys=True):
        if not (d_model / num_heads).is_integer():
            raise ValueError("d_model % num_heads != 0: {} % {}".format(d_model, num_heads))
        super().__init__()
        self.num_heads = num_heads
        self.w_query = nn.Linear(d_model, d_model)
        if project_keys:
            self.add_module("w_key", nn.Linear(d_model, d_model))
        self.w_out = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        layers = dict(self.named_children())
        queries = layers["w_query"](x).chunk(self.num_heads, dim=-1)
        keys = (layers["w_key"](x) if "w_key" in layers else x).chunk(self.num_heads, dim=-1)
        values = x.chunk(self.num_heads, dim=-1)
        heads = []
        for h, (q, k, v) in enumerate(zip(queries, keys, values)):
            samples = []
            for b in range(len(x)):
                rows = []
                for t in range(x.size(1)):
                    scores = (k[b] * q[b, t]).sum(-1) / q.size(-1) ** 0.5
                    if mask is not None:
                        scores[~allowed(mask, b, h, t).expand_as(scores)] = -1e9
                    rows.append((scores.softmax(0)[:, None] * v[b]).sum(0))
                samples.append(torch.stack(rows))
            heads.append(torch.stack(samples))
        return layers["w_out"](torch.cat(heads, dim=-1))


def parameter_count(d_model, project_keys, project_values):
    return sum((d_model + 1) * d_model for _ in range(2 + int(project_keys) + int(project_values)))
