"""Whether two texts are the same program, except for names, comments and docstrings."""

import ast
import builtins

BUILTINS = frozenset(dir(builtins)) - {"_"}  # a doctest leaves its last result there


def tree(text: str) -> str:
    """A normal form of a program, without docstrings, comments and the author's names."""
    parsed = _Plain().visit(ast.parse(text))
    return ast.dump(parsed)


class _Plain(ast.NodeTransformer):
    """Numbers all names but builtins in order of appearance, and drops docstrings."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def _rename(self, name: str) -> str:
        return self._names.setdefault(name, f"name{len(self._names)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:  # ast's own spelling
        if node.id not in BUILTINS:
            node.id = self._rename(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg, node.annotation = self._rename(node.arg), None
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant):
            return None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)
