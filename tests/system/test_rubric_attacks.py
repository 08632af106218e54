"""Answers that want the price of a mistake for nothing: a name is worth what stands behind it."""

import pytest

from kata.course.curriculum import exercises
from tests.helpers.marking import mark_of

BY_SHORT = {each.short: each for each in exercises().values()}
NEXT_TO_NOTHING = 0.1
FORWARD = "def forward(self, query, key, value, mask=None):"
LAYERS = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.d_model, self.num_heads, self.head_dim = d_model, num_heads, d_model // num_heads
        for name in ("w_query", "w_key", "w_value", "w_out"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))
"""
# Each looks like a known mistake of which the price is a half of the function, or less.
ATTACKS = {
    "layers in a list, and nothing behind them": ("ex13", """
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_hidden, dropout=0.1):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)]

    def forward(self, x):
        return 0 * x
"""),
    "a misspelled forward, and nothing behind it": ("ex09", f"""{LAYERS}
    {FORWARD.replace("forward", "foward")}
        return query, key
"""),
    "zeros alone, as if the weights were forgotten": ("ex09", f"""{LAYERS}
    {FORWARD}
        return 0 * query
"""),
    "zeros and None": ("ex04", """
def scaled_dot_product_attention(query, key, value):
    return 0 * query[..., :1] * value[..., :1, :], None
"""),
    "a list of zeros": ("ex01", """
def softmax(scores, axis=-1):
    return (0 * scores).tolist()
"""),
    "the error of a known mistake": ("ex04", """
def scaled_dot_product_attention(query, key, value):
    return query @ key
"""),
    "another name for each attribute": ("ex09", f"""{LAYERS.replace("w_", "weights_")}
    {FORWARD}
        return 0 * query, 0 * query @ key.mT
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_the_name_of_a_mistake_is_worth_nothing_by_itself(name: str) -> None:
    short, text = ATTACKS[name]
    exercise = BY_SHORT[short]

    assert mark_of(exercise, text).score < NEXT_TO_NOTHING * exercise.points
