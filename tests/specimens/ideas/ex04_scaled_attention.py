"""Scaled dot-product attention, as a textbook writes it: for batches (B, T, D)."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend to the values: output and weights."""
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.size(-1))
    weights = F.softmax(scores, dim=-1)
    return torch.bmm(weights, value), weights
