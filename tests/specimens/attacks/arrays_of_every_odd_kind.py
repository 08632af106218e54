"""Against "the run goes on": structured, masked, dated, reversed, endless, of objects, by turns."""

import itertools

import numpy as np

_loop = np.empty(3, dtype=object)
_loop[0] = _loop
_kinds = itertools.cycle([
    lambda x: x[::-1], lambda x: np.ma.masked_array(x, x > 0), lambda x: np.asmatrix(x.reshape(1, -1)),
    lambda x: x.astype(object), lambda x: x.astype("U30"), lambda x: x.astype("datetime64[s]"),
    lambda x: x.astype([("a", "f8"), ("b", "i4")]), lambda x: np.recarray(3, dtype=[("a", "f8")]),
    lambda x: x.astype(">f8"), lambda x: x.astype(np.longdouble), lambda x: x.astype(complex),
    lambda x: np.broadcast_to(x[..., :1], (10**9, *x.shape)), lambda x: _loop, lambda x: np.array(None),
    lambda x: np.lib.stride_tricks.as_strided(x, (10**6, 10**6), (0, 0)), lambda x: np.float64("nan"),
    lambda x: np.zeros((0, 10**18)), lambda x: x.astype("V8"), lambda x: memoryview(x), lambda x: iter(x),
])


def softmax(scores, axis=-1):
    return next(_kinds)(scores)
