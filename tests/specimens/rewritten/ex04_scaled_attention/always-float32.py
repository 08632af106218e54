import math

import torch


def _scores(q, k):
    return q.matmul(k.swapaxes(-1, -2)).div(math.sqrt(q.shape[-1]))


def _weights(scores):
    return (scores - scores.logsumexp(-1, keepdim=True)).exp()


def scaled_dot_product_attention(query, key, value):
    q, k, v = (t.to(torch.float32) for t in (query, key, value))
    weights = _weights(_scores(q, k))
    return weights.matmul(v), weights
