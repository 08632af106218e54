"""The worked example of a docstring as a cell that runs.

Before the function is written, it prints nothing and raises nothing: an error would end "Run All".
A tag that allows errors would do, too, but not every front end knows it.
"""

import ast
import doctest
import textwrap

GUARD = "with suppress(NotImplementedError):  # until it is written"


def example_code(example: str) -> str:
    """The statements, with the output that the docstring promises below them as comments."""
    parts = [_statement(statement) for statement in doctest.DocTestParser().get_examples(example)]
    body = "\n".join(part for part in parts if part)
    return f"{GUARD}\n{textwrap.indent(body, '    ')}"


def _statement(example: doctest.Example) -> str:
    """One statement; the notebook has imported the libraries already."""
    source = example.source.rstrip()
    node = ast.parse(source).body[0]
    if isinstance(node, ast.Import):
        return ""
    if not example.want or not isinstance(node, ast.Expr):
        return source
    value = ast.get_source_segment(source, node.value) or ""
    if isinstance(node.value, ast.Tuple) and not value.startswith("("):
        value = f"({value})"  # as Python shows it
    rest = source[len(ast.get_source_segment(source, node.value) or "") :]
    wanted = textwrap.indent(example.want.rstrip(), "# ")
    return f"print({value}){rest}\n{wanted}"
