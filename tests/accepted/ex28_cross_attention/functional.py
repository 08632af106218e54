"""Functions in place of modules wherever there is one; the parts only hold parameters.

The contract: "All six have the same names in `state_dict()`, which may have further ones"
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def linears(width_in: int, width_out: int, *names: str) -> nn.ModuleDict:
    return nn.ModuleDict({name: nn.Linear(width_in, width_out) for name in names})


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.1):
        super().__init__()
        if d_model // num_heads * num_heads < d_model:
            raise ValueError(f"d_model ({d_model}) is not a multiple of num_heads ({num_heads})")
        self.heads, self.p = num_heads, dropout
        names = "w_query", "w_key", "w_value", "w_out"
        self.self_attention = linears(d_model, d_model, *names)
        self.cross_attention = linears(d_model, d_model, *names)
        self.feed_forward = nn.ModuleDict()
        self.feed_forward["linear1"] = nn.Linear(d_model, d_hidden)
        self.feed_forward["linear2"] = nn.Linear(d_hidden, d_model)
        for number in (1, 2, 3):
            self.add_module(f"norm{number}", nn.LayerNorm(d_model))
        self.register_buffer("calls", torch.zeros(()))

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.p, training=self.training)

    def attend(self, part: nn.ModuleDict, x: Tensor, source: Tensor, mask: Tensor | None) -> Tensor:
        q = torch.stack(part["w_query"](x).chunk(self.heads, -1), 1)
        k = torch.stack(part["w_key"](source).chunk(self.heads, -1), 1)
        v = torch.stack(part["w_value"](source).chunk(self.heads, -1), 1)
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            mask = mask if mask.dim() != 3 else mask.unsqueeze(1)
            scores = torch.where(mask, scores, scores.new_tensor(-1e9))
        context = torch.einsum("bhts,bhsd->bthd", self.drop(scores.softmax(-1)), v)
        return part["w_out"](context.flatten(2))

    def forward(self, x: Tensor, memory: Tensor, memory_mask: Tensor | None = None) -> Tensor:
        place = torch.arange(x.size(1), device=x.device)
        y = self.attend(self.self_attention, x, x, place[:, None] >= place)
        y = self.norm1(x + self.drop(y))
        z = self.attend(self.cross_attention, y, memory, memory_mask)
        z = self.norm2(y + self.drop(z))
        hidden = self.drop(F.relu(self.feed_forward["linear1"](z)))
        return self.norm3(z + self.drop(self.feed_forward["linear2"](hidden)))
