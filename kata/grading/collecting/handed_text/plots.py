"""Plots and magics in a Python file, such as a notebook that was exported: left out, as in cells.

Every line keeps its place. What a function does with them stays: it is nothing that a claim calls.
"""

import ast
import re
from collections.abc import Iterator

from kata.course.source import TOO_DEEP

PLOTTING = {"matplotlib", "mpl_toolkits", "seaborn", "plotly", "bokeh", "altair", "IPython"}
SIGNS = re.compile(
    rf"^(?:[ \t]*(?:from|import)[ \t]+(?:{'|'.join(PLOTTING)})\b|get_ipython\(|[%!])", re.MULTILINE
)
MAGIC = re.compile(r"^[%!].*$", re.MULTILINE)
IN_NOTEBOOKS = "get_ipython"


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
    names = {IN_NOTEBOOKS, *(name for node in body for name in _plotting(node))}
    lines = plain.split("\n")
    for node in body:
        if [*_plotting(node)] or (_is_done(node) and names & _names(node)):
            for at in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[at] = ""
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


def _names(node: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
