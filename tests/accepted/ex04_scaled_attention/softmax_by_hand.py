"""Every step of the softmax written out; the output is divided last.

The contract: "no entry is negative, and each row sums to one, for scores of up to ±1,000."
"""

import numpy as np
import torch


def scaled_dot_product_attention(query, key, value):
    d = query.shape[-1]
    s = torch.matmul(query, torch.swapaxes(key, -1, -2)) / np.sqrt(d)
    largest, _ = torch.max(s, dim=-1, keepdim=True)
    e = torch.exp(s - largest)
    total = torch.sum(e, dim=-1, keepdim=True)
    return torch.matmul(e, value) / total, e / total
