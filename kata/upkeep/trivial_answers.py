"""Answers that take no thought: return None, return the first argument, return zeros."""

import ast

from kata.course.curriculum import Exercise
from kata.course.source import read

_ZEROS = """

def _zero(value):
    if isinstance(value, tuple):
        return tuple(_zero(each) for each in value)
    return value * 0 if value.dtype != bool and "bool" not in str(value.dtype) else value & ~value


def _zero_function(function):
    return lambda *args, **kwargs: _zero(function(*args, **kwargs))


def _zero_module(kind):
    class Zero(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            self.inner = [kind(*args, **kwargs)]

        def forward(self, *args, **kwargs):
            return _zero(self.inner[0](*args, **kwargs))

    return Zero


for _name, _thing in list(globals().items()):
    if getattr(_thing, "__module__", None) == __name__ and not _name.startswith("_"):
        _zeroed = _zero_module if isinstance(_thing, type) else _zero_function
        globals()[_name] = _zeroed(_thing)
"""


def answers(exercise: Exercise) -> dict[str, str]:
    """The text of each answer, by what it returns."""
    text = read(exercise.solution).text
    return {
        "return None": _returning(text, first=False),
        "return the first argument": _returning(text, first=True),
        "zeros of the right shape": text + _ZEROS,
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
    names = [each.arg for each in function.args.args if each.arg != "self"]
    return f"return {names[0]}" if first and names else "return None"
