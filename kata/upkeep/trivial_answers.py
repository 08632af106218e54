"""Answers that take no thought: return None, the first argument, zeros, or noise."""

import ast

from kata.course.curriculum import Exercise
from kata.course.source import read

# Each result in the shape and dtype of the right one, filled by `_fill`.
_FILLED = """

def _filled(value):
    if isinstance(value, tuple):
        return tuple(_filled(each) for each in value)
    return _fill(value)


def _filled_function(function):
    return lambda *args, **kwargs: _filled(function(*args, **kwargs))


def _filled_module(kind):
    class Filled(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            self.inner = [kind(*args, **kwargs)]

        def forward(self, *args, **kwargs):
            return _filled(self.inner[0](*args, **kwargs))

    return Filled


for _name, _thing in list(globals().items()):
    if getattr(_thing, "__module__", None) == __name__ and not _name.startswith("_"):
        _as_filled = _filled_module if isinstance(_thing, type) else _filled_function
        globals()[_name] = _as_filled(_thing)
"""
_ZEROS = """

def _fill(value):
    return value * 0 if value.dtype != bool and "bool" not in str(value.dtype) else value & ~value
"""
# Seeded, so that this gate gives the same verdict every time.
_NOISE = """
from random import Random as _Random

_random = _Random(7)


def _fill(value):
    plain = value.detach() if hasattr(value, "detach") else value
    numbers = [_random.gauss(0, 1) for _ in range(plain.reshape(-1).shape[0])]
    made = plain.reshape(-1) * 0 if "bool" not in str(plain.dtype) else plain.reshape(-1) & False
    for place, number in enumerate(numbers):
        made[place] = number if "bool" not in str(plain.dtype) else number > 0
    return made.reshape(plain.shape)
"""


def answers(exercise: Exercise) -> dict[str, str]:
    """The text of each answer, by what it returns."""
    text = read(exercise.solution).text
    return {
        "return None": _returning(text, first=False),
        "return the first argument": _returning(text, first=True),
        "zeros of the right shape": text + _ZEROS + _FILLED,
        "noise of the right shape": text + _NOISE + _FILLED,
    }


def _returning(text: str, *, first: bool) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = ast.parse(_body(node, first=first)).body
    return ast.unparse(tree)


def _body(function: ast.FunctionDef, *, first: bool) -> str:
    if function.name == "__init__":
        return "super().__init__()"
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return f"return {names[0]}" if first and names else "return None"
