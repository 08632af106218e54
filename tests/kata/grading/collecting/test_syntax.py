"""Names of the top level, told apart from those that functions and classes have themselves."""

import ast

import pytest

from kata.grading.collecting.syntax import bindings, renamed

NAMES = {"EPS": "EPS_of_utils", "f": "f_of_utils", "sqrt": "sqrt_of_utils"}


@pytest.mark.parametrize(("text", "expected"), [
    ("EPS = 1", "EPS_of_utils = 1"),
    ("x.EPS = f(EPS=EPS)", "x.EPS = f_of_utils(EPS=EPS_of_utils)"),
    ("def f(x, EPS=EPS): return EPS + sqrt(x)",
     "def f_of_utils(x, EPS=EPS_of_utils): return EPS + sqrt_of_utils(x)"),
    ("def g():\n    EPS = 3\n    return EPS", "def g():\n    EPS = 3\n    return EPS"),
    ("def g():\n    global EPS\n    EPS = 3",
     "def g():\n    global EPS_of_utils\n    EPS_of_utils = 3"),
    ("g = lambda f: f + EPS", "g = lambda f: f + EPS_of_utils"),
    ("[EPS for EPS in f]", "[EPS for EPS in f_of_utils]"),
    ("from math import sqrt, pi", "from math import sqrt as sqrt_of_utils, pi"),
    ("class A(f):\n    EPS = 1\n    def m(self): return EPS",
     "class A(f_of_utils):\n    EPS = 1\n    def m(self): return EPS_of_utils"),
    ("@f\nclass f: pass", "@f_of_utils\nclass f_of_utils: pass"),
    ("größe = EPS", "größe = EPS_of_utils"),
    ("'EPS'  # EPS", "'EPS'  # EPS"),
])  # fmt: skip
def test_a_name_of_the_top_level_is_another_one(text: str, expected: str) -> None:
    assert renamed(text, NAMES) == expected


def test_what_binds_a_name_is_known_with_its_code() -> None:
    text = """
import numpy as np, math
from torch import nn
try:
    from fast import exp
except ImportError:
    exp = None
for at, each in enumerate([1]):
    total: int = 3
with open("x") as file:
    pass
def f():
    inner = 1
class A:
    inner = 2
"""
    found = bindings(ast.parse(text))

    assert [*found] == ["np", "math", "nn", "exp", "at", "each", "total", "file", "f", "A"]
    assert (found["np"], found["exp"]) == ("import numpy as np", "exp = None")
    assert "inner = 1" in found["f"]
