"""What exercise 02 promises, drawn at random."""

from collections.abc import Iterator

import numpy as np

from kata.upkeep.fuzz import Argument, Draw, Trial


def trials(draw: Draw) -> Iterator[Trial]:
    """At least one query, key and feature; scores of attention_weights are those of exercise 01."""
    queries, keys, width, features = draw.sizes(4)
    dtype = draw.one_of("float32", "float64")
    many = draw.normal(queries, width, dtype=dtype), draw.normal(keys, width, dtype=dtype)
    one = draw.normal(width, dtype=dtype)
    yield Trial("score_query", lambda it, *x: it.score_query(*x), [one, many[1]])
    yield Trial("attention_scores", lambda it, *x: it.attention_scores(*x), many)
    yield _weights(draw, draw.one_of((keys,), (queries, keys)), dtype)
    shares = Argument(draw.rng.dirichlet(np.ones(keys), size=queries).astype(dtype))
    values = draw.normal(keys, features, dtype=dtype)
    yield Trial("context_vectors", lambda it, *x: it.context_vectors(*x), [shares, values])


def _weights(draw: Draw, shape: tuple[int, ...], dtype: str) -> Trial:
    centres = draw.rng.choice([0.0, 10_000.0, -10_000.0], size=(*shape[:-1], 1))
    scores = centres + draw.one_of(1.0, 300.0) * draw.rng.standard_normal(shape)
    scores[..., 1:][draw.rng.random((*shape[:-1], shape[-1] - 1)) < 0.2] = -np.inf
    argument = draw.argument(scores.astype(dtype))
    return Trial("attention_weights", lambda it, x: it.attention_weights(x), [argument], 10)
