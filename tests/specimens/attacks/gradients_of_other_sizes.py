"""Against "the run goes on": too many gradients, too few, of other shapes, dtypes and devices."""

import itertools
import math
from kata.inside import session

import torch

Session = session.Session  # of the worker

_odd = itertools.cycle([
    lambda grads: [], lambda grads: [None] * 50, lambda grads: 5, lambda grads: None,
    lambda grads: [torch.ones(3)] * 3, lambda grads: ["x"] * 3, lambda grads: {"a": 1},
    lambda grads: [each.double() for each in grads], lambda grads: [each.mT for each in grads],
    lambda grads: [each.to("meta") for each in grads], lambda grads: [each * math.nan for each in grads],
    lambda grads: [each.to_sparse() for each in grads], lambda grads: [each > 0 for each in grads],
    lambda grads: [each.numpy() for each in grads], lambda grads: [each.cfloat() for each in grads],
])


def _backward(self, _, call, grads, everything):
    leaves = self._calls[call][1]
    return next(_odd)([torch.zeros_like(each) for each in leaves])


Session.backward = _backward


def scaled_dot_product_attention(query, key, value):
    weights = torch.zeros(*query.shape[:-1], key.shape[-2]) * query.sum() * key.sum()
    return weights @ value, weights
