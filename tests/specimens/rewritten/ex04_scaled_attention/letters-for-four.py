"""Attention, spelled with einsum."""

import torch
from torch import Tensor, einsum


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    lead = {2: "", 3: "b", 4: "bh"}[query.ndim]
    scale = query.shape[-1] ** -0.5
    scores = einsum(f"{lead}td,{lead}sd->{lead}ts", query, key) * scale
    weights = scores.softmax(-1)
    output = einsum(f"{lead}ts,{lead}sv->{lead}tv", weights, value)
    return output, weights
