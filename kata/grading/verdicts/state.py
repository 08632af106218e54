"""Whether an answer may know of earlier calls.

Such an answer is asked question by question: a script goes on asking a claim that has failed, and
a run of pytest does not. This is a matter of fairness only: no mark rises by it.
"""

import ast

FIXED = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp)
CACHES = ("cache", "cached_property")
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def may_keep_state(tree: ast.Module) -> bool:
    """Whether something in the file is made once and could be changed by a call."""
    nodes = [*ast.walk(tree)]
    bodies = [tree.body, *(node.body for node in nodes if isinstance(node, ast.ClassDef))]
    values = [
        statement.value
        for body in bodies
        for statement in body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
    ]
    if not all(isinstance(value, FIXED) for value in values):
        return True
    lasting = {name for node in nodes for name in _lasting(node)}
    return any(_keeps(node, lasting) for node in nodes)


def _lasting(node: ast.AST) -> list[str]:
    """The names of what outlives a call: definitions, and modules that were imported."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(name.asname or name.name).partition(".")[0] for name in node.names]
    return [node.name] if isinstance(node, DEFINITIONS) else []


def _keeps(node: ast.AST, lasting: set[str]) -> bool:
    if isinstance(node, ast.arguments):
        defaults = (*node.defaults, *filter(None, node.kw_defaults))
        return not all(isinstance(default, FIXED) for default in defaults)
    if isinstance(node, DEFINITIONS):
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        return any(word in decorator for decorator in decorators for word in CACHES)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return not isinstance(node.value, ast.Name) or node.value.id in lasting
    return isinstance(node, ast.Global | ast.Nonlocal)
