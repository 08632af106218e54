import math

import torch


def scaled_dot_product_attention(query, key, value):
    if query.dim() == 2:
        query, key, value = query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0)

    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)

    return output.squeeze(0), weights.squeeze(0)
