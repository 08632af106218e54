"""What exercise 17 promises, drawn at random."""

from collections.abc import Iterator
from types import SimpleNamespace

from torch import nn

from kata.upkeep.fuzz import Draw, Trial, broadcastable, linears, loaded, numbers

NAMES = ("w_query", "w_key", "w_value", "w_out")


def trials(draw: Draw) -> Iterator[Trial]:
    """Any number of heads and features, with biases or without; masks that broadcast."""
    yield _converted(draw)
    queries, keys, width, features = draw.sizes(4)
    mask = draw.argument(draw.rng.random((queries, keys)) < 0.5)
    yield Trial("builtin_mask", lambda it, mask: it.builtin_mask(mask), [mask])
    lead, size = draw.leading(), draw.one_of(1, 1, 150)
    mask = draw.mask([each for each in broadcastable((*lead, queries, keys)) if len(each) > 1])
    arguments = [
        draw.normal(*lead, queries, width, scale=size),
        draw.normal(*lead, keys, width),
        draw.normal(*lead, keys, features),
        draw.one_of(mask, mask, None),
    ]
    yield Trial("fused_attention", lambda it, *a: it.fused_attention(*a), arguments, size)


def _converted(draw: Draw) -> Trial:
    samples, queries, keys, heads, width = draw.sizes(5)
    model, bias = heads * width, draw.one_of(False, True)
    shapes = linears(dict.fromkeys(NAMES, (model, model)), bias=bias)
    inputs = [draw.normal(samples, each, model) for each in (queries, keys, keys)]

    def call(it, query, key, value, *own):
        layers = nn.ModuleDict({name: nn.Linear(model, model, bias=bias) for name in NAMES})
        loaded(layers, list(shapes), [each.float() for each in own])
        sizes = {"d_model": model, "num_heads": heads, "head_dim": width}
        module = it.to_builtin(SimpleNamespace(**sizes, **dict(layers.items())))
        module = module.to(query.dtype).eval()
        return module(query, key, value, average_attn_weights=False)

    return Trial("to_builtin", call, [*inputs, *numbers(draw, shapes, "float32")])
