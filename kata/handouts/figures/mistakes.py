"""The figures of wrong answers: what is computed with each of them and with the right one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kata.handouts.drawing import Figure
from kata.handouts.figures import ex18_training_run
from kata.handouts.figures.answers import filled, moved, reached, right, tensor, wrong
from kata.handouts.figures.comparing import Comparison, compared

MASKS, HEADS, LAYER = "ex05_causal_masks", "ex09_multi_head_attention", "ex14_encoder_layer"
LOOPS, SPLIT, PLAIN, NORM = (
    "ex02_attention_scores",
    "ex07_heads",
    "ex03_self_attention",
    "ex12_layer_norm",
)
RUN = "ex18_training_run"


def figure(slug: str, bug: str) -> Figure | None:
    """The figure of a wrong answer, if there is one."""
    how = COMPARED.get((slug, bug))
    if how is None:
        return None
    return compared(slug, bug, how, how.ask(right(slug)), how.ask(wrong(slug, bug)))


# ---- numbers that an answer gives


def masked(answer: Any) -> Any:
    """Weights of five queries under a causal mask."""
    mask = right(MASKS).causal_mask(5)
    return answer.mask_scores(tensor(5, 5, 5), mask).softmax(dim=-1)


def keys_seen(answer: Any) -> Any:
    """Return how many keys each head sees; the four samples have 8, 6, 4 and 2 tokens."""
    model, x = filled(answer.MultiHeadAttention(8, 4), 1), tensor(2, 4, 8, 8)
    mask = right(MASKS).padding_mask(torch.tensor([8, 6, 4, 2]), 8).expand(4, 8, 8)
    return (model(x, x, x, mask)[1][:, :, 0] > 0).sum(dim=-1)


def merged(answer: Any) -> Any:
    """Three tokens of two heads, numbered head by head and token by token."""
    return answer.merge_heads(torch.arange(12).view(1, 2, 3, 2))[0]


def split(answer: Any) -> Tensor:
    """Head 0 and head 1 of four tokens of four features, side by side."""
    heads: Tensor = answer.split_heads(torch.arange(16).view(1, 4, 4), 2)[0]
    return torch.cat(list(heads), dim=-1)


def moved_by_heads(answer: Any) -> Tensor:
    """Multi-head attention under a causal mask."""
    model, mask = filled(answer.MultiHeadAttention(6, 3), 7, 0.5), right(MASKS).causal_mask(5)
    return moved(lambda x: model(x, x, x, mask)[0], tensor(3, 1, 5, 6))


def moved_by_layer(answer: Any) -> Tensor:
    """A whole encoder layer under a causal mask."""
    layer = answer.EncoderLayer(6, 3, 12).double().eval()
    filled(layer.attention, 7, 0.5)
    filled(layer.feed_forward, 2, 0.5)
    return moved(lambda x: layer(x, right(MASKS).causal_mask(5)), tensor(3, 1, 5, 6))


def all_dropped(answer: Any) -> Any:
    """The outputs in training when all weights are dropped: the bias alone is left."""
    model = filled(answer.MultiHeadAttention(4, 2, dropout=1.0), 7).train()
    x = tensor(3, 1, 3, 4)
    return model(x, x, x)[0][0]


def shares(answer: Any) -> Any:
    """Weights of three lines of scores."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return answer.attention_weights(
            np.array([[2.0, 1.0, 1.0], [1.0, -1.0, 2.0], [1.0, -1.0, 0.0]])
        )


def four_tokens(answer: Any) -> Any:
    """Weights of four tokens on one another."""
    tokens = tensor(4, 4, 3).numpy()
    return answer.attention_weights(answer.attention_scores(tokens, tokens))


def contexts(answer: Any) -> Any:
    """Three tokens of four features, read with weights that give two."""
    weights = [tensor(seed, 4, 2, spread=0.5) for seed in (11, 12, 13)]
    return answer.self_attention(tensor(10, 3, 4), *weights)


def features_reached(answer: Any) -> Tensor:
    """Return how far each feature of the heads (rows) moves with one of a token (columns)."""
    model = filled(answer.MultiHeadAttention(6, 2), 3, digits=4)
    return reached(model, lambda x: model(x, x, x)[0])


def matches(answer: Any) -> Tensor:
    """The verdicts of the check on a run with a mask that does nothing, and with one that works."""
    runs = [list(ex18_training_run.losses(run)) for run in ("dropped", "working", "unmasked")]
    return torch.tensor([[answer.losses_match_unmasked(run, runs[-1])] for run in runs[:2]])


# ---- results as words


def reply(call: Callable[[Any], Any]) -> Callable[[Any], str]:
    """The shape of a call's result, or the error that it raises."""

    def asked(answer: Any) -> str:
        try:
            result = call(answer)
        except Exception as error:  # the error is what the figure shows
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return str(tuple(result.shape)) if isinstance(result, Tensor) else str(result)

    return asked


def memory(answer: Any) -> Any:
    """Eight queries at five keys."""
    query, keys = torch.zeros(4, 8, 32), torch.zeros(4, 5, 32)
    return answer.MultiHeadAttention(32, 4)(query, keys, keys)[0]


def itself(answer: Any) -> Any:
    """Attention of eight tokens to one another."""
    x = torch.zeros(1, 8, 32)
    result = answer.MultiHeadAttention(32, 4)(x, x, x)
    return result[0] if isinstance(result, tuple) else result


COMPARED = {
    **{
        (MASKS, bug): Comparison(masked, "query", "key")
        for bug in (
            "scores-fill-dropped",
            "scores-inverted",
            "scores-fill-dropped-and-inverted",
            "scores-boolean-added",
        )
    },
    (HEADS, "sample-mask-on-heads"): Comparison(keys_seen, "sample", "head", 0, share=True),
    (SPLIT, "merge-without-transpose"): Comparison(
        merged, "token", "feature", 0, hue=lambda n: n // 2 % 3
    ),
    (SPLIT, "split-view-without-transpose"): Comparison(
        split, "token", "feature", 0, hue=lambda n: n // 4
    ),
    (HEADS, "merge-without-transpose"): Comparison(moved_by_heads, "output", "token", share=True),
    (LAYER, "mask-not-handed-on"): Comparison(moved_by_layer, "output", "token", share=True),
    (HEADS, "no-dropout"): Comparison(all_dropped, "token", "feature", share=True),
    (LOOPS, "divided-by-the-sum"): Comparison(shares, "query", "key"),
    (LOOPS, "six-by-six"): Comparison(four_tokens, "query", "key"),
    (PLAIN, "values-not-projected"): Comparison(contexts, "token", "feature", share=True),
    (HEADS, "no-value-projection"): Comparison(
        features_reached, "feature", "token-feature", share=True
    ),
    (RUN, "loss-falls"): Comparison(
        matches, "run", "verdict", names=("run-dropped", "run-working")
    ),
    (SPLIT, "split-unchecked"): Comparison(
        reply(lambda answer: answer.split_heads(torch.zeros(2, 5, 10), 3))
    ),
    (HEADS, "memory-viewed-with-query-length"): Comparison(reply(memory)),
    (HEADS, "foward"): Comparison(reply(itself)),
    (HEADS, "nothing-returned"): Comparison(reply(itself)),
    (NORM, "int-has-no-length"): Comparison(
        reply(lambda answer: answer.LayerNorm(8)(torch.zeros(2, 8)))
    ),
}
