"""The stub of an exercise: its solution with every body replaced.

It imports torch where the solution does without: others will write `torch.softmax`. Run as a
program, by an editor's ▶, it says how it is run instead.
"""

import ast
from collections.abc import Collection
from copy import deepcopy

from kata.course.curriculum import Exercise
from kata.course.source import Source, functions, is_private, read

LIBRARY = "import torch"
# Before the imports: those of earlier exercises cannot work in a program.
AS_A_PROGRAM = """\
if __name__ == "__main__":
    raise SystemExit(f"This file is run by its tests: pytest {__file__}")

"""


def stub(exercise: Exercise) -> str:
    """What a learner gets: names, signatures and docstrings, and a raise in place of each body."""
    return stub_of(exercise, read(exercise.solution))


def stub_of(exercise: Exercise, source: Source) -> str:
    """The same for a solution that need not be in its folder yet."""
    lines = source.text.splitlines()
    for name, function in reversed(list(functions(source.tree))):
        start, end = _body(function)
        lines[start:end] = _raise(exercise, name, function)
        if is_private(name):
            del lines[function.lineno - 1 : start + 1]
    start = source.tree.body[0].end_lineno or 0  # of the docstring
    head, rest = "\n".join(lines[: start + 1]), "\n".join(lines[start + 1 :])
    text = f"{head}\n{AS_A_PROGRAM}{rest.rstrip()}\n"
    if LIBRARY in lines:
        return text
    return text.replace("\nfrom torch import", f"\n{LIBRARY}\nfrom torch import", 1)


def _body(function: ast.FunctionDef) -> tuple[int, int]:
    """The lines after the docstring, as a slice."""
    documented = ast.get_docstring(function) is not None
    docstring, *rest = function.body
    start = (docstring.end_lineno or 0) if documented else docstring.lineno - 1
    return start, (rest or [docstring])[-1].end_lineno or 0


def _raise(exercise: Exercise, name: str, function: ast.FunctionDef) -> list[str]:
    margin = " " * function.body[0].col_offset
    kept = [f"{margin}super().__init__()"] if name.endswith(".__init__") else []
    return [*kept, f'{margin}raise NotImplementedError("{exercise.short} {name}: not written yet")']


def unwritten(exercise: Exercise, names: Collection[str]) -> str:
    """The stubs of some names without annotations and bases, so that they need nothing else."""
    nodes = (node for node in read(exercise.stub).tree.body if getattr(node, "name", "") in names)
    return "".join(f"\n\n{_bare(node)}\n" for node in nodes)


def _bare(stub: ast.stmt) -> str:
    """Without its docstrings, too."""
    copy = deepcopy(stub)
    for node in ast.walk(copy):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.ClassDef):
            node.bases = []
            node.body = [part for part in node.body if isinstance(part, ast.FunctionDef)]
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
            node.body = node.body[ast.get_docstring(node) is not None :]
    return ast.unparse(copy)
