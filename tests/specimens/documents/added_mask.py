import math

import torch
from torch.nn import functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores += mask
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
