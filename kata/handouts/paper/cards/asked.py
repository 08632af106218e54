"""The questions of the cards to an answer: for a table of numbers, or in a call that may raise."""

from typing import Any

import torch
from torch import Tensor

from kata.course.curriculum import SOLUTIONS, exercises
from kata.course.target import Target
from kata.handouts.figures.answers import filled, moved, right, tensor
from kata.handouts.figures.mistakes import HEADS, MASKS

SIZE = 4  # of most tables: two of them stand beside each other, with digits for a metre
WIDE, COUNT = 10, 3  # a width that the heads do not divide


def masked(answer: Any) -> Any:
    """Weights of queries under a causal mask."""
    mask = right(MASKS).causal_mask(SIZE)
    return answer.mask_scores(tensor(5, SIZE, SIZE), mask).softmax(dim=-1)


def moved_by_layer(answer: Any) -> Tensor:
    """Return how far the outputs of an encoder layer move under a causal mask."""
    layer, mask = answer.EncoderLayer(6, 3, 12).double().eval(), right(MASKS).causal_mask(SIZE)
    filled(layer.attention, 7, 0.5)
    filled(layer.feed_forward, 2, 0.5)
    return moved(lambda x: layer(x, mask), tensor(3, 1, SIZE, 6))


def used_in_training(answer: Any) -> Tensor:
    """The weights that reach the values if all are dropped: values and outputs are their places."""
    model, one = filled(answer.MultiHeadAttention(SIZE, 1, dropout=1.0), 7).train(), torch.eye(SIZE)
    for layer in (model.w_value, model.w_out):
        layer.weight.copy_(one)
        layer.bias.zero_()
    x = one[None].double()
    output: Tensor = model(x, x, x)[0][0]
    return output


def two_tokens(answer: Any) -> Any:
    """Weights of two tokens on one another."""
    tokens = tensor(4, 2, 3).numpy()
    return answer.attention_weights(answer.attention_scores(tokens, tokens))


def contexts(answer: Any) -> Any:
    """Three tokens of four features, read with weights that give two."""
    weights = [tensor(seed, 4, 2, spread=0.5) for seed in (11, 12, 13)]
    return answer.self_attention(tensor(10, 3, 4), *weights)


def reached(answer: Any) -> Tensor:
    """Return how far each feature of the heads (rows) moves with one of a token (columns)."""
    model, one = filled(answer.MultiHeadAttention(SIZE, 2), 3, digits=4), torch.eye(SIZE)
    model.w_out.weight.copy_(one)
    x = tensor(2, 1, 1, SIZE)
    outputs = [model(tokens, tokens, tokens)[0] for tokens in (x, *(x + step for step in one))]
    return torch.cat([(output - outputs[0])[0] for output in outputs[1:]]).T.abs()


def attended(answer: Any) -> Any:
    """Attention of eight tokens to one another: the output."""
    x = torch.zeros(1, 8, 32)
    result = answer.MultiHeadAttention(32, 4)(x, x, x)
    return result if result is None else result[0]


def normalised(answer: Any) -> Any:
    """Two rows of eight features, through a norm with a number as its width."""
    return answer.LayerNorm(8)(torch.zeros(2, 8))


def added(answer: Any) -> Any:
    """The output of attention added to its input."""
    return torch.zeros(1, 8, 32) + attended(answer)


def split(answer: Any) -> Any:
    """Two samples of five tokens, split into heads that do not divide their width."""
    return answer.split_heads(torch.zeros(2, 5, WIDE), COUNT)


def renamed() -> Any:
    """Attention with an output layer named like the scores, as large as in its notebook."""
    text = exercises()[HEADS].solution.read_text(encoding="utf-8")
    answer = {HEADS: text.replace("w_out", "attention_scores")}
    target = Target(SOLUTIONS, answer, trusts=lambda _: True)
    return target.module(HEADS).MultiHeadAttention(32, 4)
