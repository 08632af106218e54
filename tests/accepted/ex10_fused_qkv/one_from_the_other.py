"""One layout turned into the other, and read as that; a copy of a layer, resized with care.

The contract: "Its parameters are trainable copies: what happens later to the three is nothing to
it, nor the other way round."
"""

import copy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from .ex07_heads import split_heads


class QKV(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


def split_qkv_blocks(qkv, num_heads):
    return QKV(*(split_heads(part, num_heads) for part in qkv.tensor_split(3, dim=2)))


def split_qkv_per_head(qkv, num_heads):
    pieces = qkv.split(qkv.size(2) // (3 * num_heads), dim=2)
    in_blocks = torch.cat([*pieces[0::3], *pieces[1::3], *pieces[2::3]], dim=2)
    return split_qkv_blocks(in_blocks, num_heads)


def fuse(w_query, w_key, w_value):
    result = copy.deepcopy(w_query)
    for other in (w_key, w_value):
        result.weight = nn.Parameter(torch.cat((result.weight, other.weight), 0))
        if result.bias is not None:
            result.bias = nn.Parameter(torch.cat((result.bias, other.bias), 0))
    result.out_features = len(result.weight)
    return result
