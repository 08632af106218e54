"""Which feature goes where, as numbers, and a look-up; a state dict for the layer.

The contract: "Within each block head h has the features h·D to (h+1)·D − 1, as in exercise 07."
"""

import torch
from torch import nn


def _look_up(qkv, index):
    return tuple(qkv[..., each].transpose(1, 2) for each in index)


def split_qkv_blocks(qkv, num_heads):
    index = torch.arange(qkv.shape[2], device=qkv.device).view(3, num_heads, -1)
    return _look_up(qkv, index)


def split_qkv_per_head(qkv, num_heads):
    index = torch.arange(qkv.shape[2], device=qkv.device).view(num_heads, 3, -1)
    return _look_up(qkv, index.transpose(0, 1))


def fuse(w_query, w_key, w_value):
    states = [each.state_dict() for each in (w_query, w_key, w_value)]
    state = {name: torch.cat([each[name] for each in states]) for name in states[0]}
    rows, columns = state["weight"].shape
    layer = nn.Linear(columns, rows, bias="bias" in state, device=state["weight"].device)
    layer.load_state_dict(state)
    return layer
