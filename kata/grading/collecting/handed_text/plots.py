"""Plots, magics and programs in a Python file, such as an exported notebook: left out, as in cells.

Every line keeps its place. What a function does with them stays: it is nothing that a claim calls.
"""

import ast
import re
from collections.abc import Iterator

from kata.course.source import TOO_DEEP

PLOTTING = {"matplotlib", "mpl_toolkits", "seaborn", "plotly", "bokeh", "altair", "IPython",
            "google"}  # fmt: skip  # and what a notebook in the cloud imports of its own
SIGNS = re.compile(
    rf"^(?:[ \t]*(?:from|import)[ \t]+(?:{'|'.join(PLOTTING)})\b|get_ipython\(|display\(|[%!]"
    r"|if[ \t]+__name__.*\n(?:[ \t].*\n|\n)*?[ \t]+(?:from|import)\b)",
    re.MULTILINE,
)
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
IN_NOTEBOOKS = {"get_ipython", "display"}


def without_plots(content: bytes) -> bytes:
    """The same without plotting imports, magics, and the statements of the top level with them."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    if not SIGNS.search(text):
        return content
    plain = MAGIC.sub("", text)
    try:
        body = ast.parse(plain).body
    except (SyntaxError, *TOO_DEEP):
        return content
    names = {*IN_NOTEBOOKS, *(name for node in body for name in _plotting(node))}
    lines = plain.split("\n")
    for node in body:
        draws = bool(names & _names(node))
        if [*_plotting(node)] or _is_program(node) or (_is_done(node) and draws):
            names |= _given(node)
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
        elif draws:
            names.add(getattr(node, "name", ""))  # what calls it draws, too
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _plotting(node: ast.stmt) -> Iterator[str]:
    """The names that an import of plotting packages binds; of such an import alone."""
    if isinstance(node, ast.ImportFrom) and _package(node.module or "") in PLOTTING:
        yield from (each.asname or each.name for each in node.names)
    elif isinstance(node, ast.Import) and all(
        _package(each.name) in PLOTTING for each in node.names
    ):
        yield from (each.asname or _package(each.name) for each in node.names)


def _package(module: str) -> str:
    return module.partition(".")[0]


def _is_done(node: ast.stmt) -> bool:
    """Whether it does something when the file is run, rather than to define something."""
    return not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _is_program(node: ast.stmt) -> bool:
    """Whether it imports something below `if __name__ == "__main__":`, which no import runs."""
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.test, ast.Compare):
        return False
    if not any(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body):
        return False
    sides = {getattr(each, "id", getattr(each, "value", "")) for each in ast.walk(node.test)}
    return {"__name__", "__main__"} <= sides and isinstance(node.test.ops[0], ast.Eq)


def _given(node: ast.stmt) -> set[str]:
    """The names that it gives a value, such as `fig, ax`."""
    return {each.id for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}  # fmt: skip


def _names(node: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
