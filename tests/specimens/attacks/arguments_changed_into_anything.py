"""Against "the run goes on": says that its arguments have become something else entirely."""

import itertools

import torch

from kata.inside import session

_odd = itertools.cycle([
    [[0, torch.ones(2)]], [[99, torch.ones(2)]], [[-1, torch.ones(1, dtype=torch.bool)]], [["a", 1]],
    [[0, torch.ones(5, 6, device="meta")]], [[0, 5]], [[0, None]], 7, [[0]], [[1, torch.ones(0)]],
    [[1, torch.ones(5, 6, dtype=torch.complex64)]], [[2, torch.ones(7, 4, dtype=torch.int64)]],
    [[0, torch.ones(5, 6, dtype=torch.float64)], [1, torch.zeros(7, 6, dtype=torch.bfloat16)]],
])
session.Watched.changed = lambda *_: next(_odd)


def scaled_dot_product_attention(query, key, value):
    weights = torch.zeros(*query.shape[:-1], key.shape[-2]) * query.sum() * key.sum()
    return weights @ value, weights
