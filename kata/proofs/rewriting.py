"""Asserts that tell the values that they compare, for a test that refuses a right answer."""

import ast

from kata.course.source import shortened

TOLD = "__told__"  # what rewritten asserts call; no name of a learner's


def rewritten(tree: ast.Module) -> ast.Module:
    """The same tests; what fails raises the same, with its values as the text."""
    changed: ast.Module = _Asserts().visit(tree)
    return ast.fix_missing_locations(changed)


def told(code: str, message: object, **values: object) -> str:
    """An assert with what its parts were; after the learner's own message, if there is one."""
    lines = [f"{name} is {_spelled(value)}" for name, value in values.items()]
    own = [] if message is None else [str(message)]
    return "\n".join([*own, f"assert {code}", *(f"  {line}" for line in lines)])


def _spelled(value: object) -> str:
    try:
        return shortened(" ".join(repr(value).split()))
    except Exception as error:  # the value's own __repr__
        return type(error).__name__


class _Asserts(ast.NodeTransformer):
    """Puts what an assert compares into variables, so that nothing is computed twice."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:  # ast gives the name
        """The parts first, and then the assert on them."""
        code = ast.unparse(node.test)
        parts = _parts(node.test)
        kept = {f"__part{at}__": part for at, part in enumerate(parts)}
        before: list[ast.stmt] = [
            ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], part), node)
            for name, part in kept.items()
        ]
        values = [
            (ast.Constant(ast.unparse(part)), ast.Name(name, ast.Load()))
            for name, part in kept.items()
            if not _is_literal(part)
        ]
        loads: list[ast.expr] = [ast.Name(name, ast.Load()) for name in kept]
        text = ast.Call(
            ast.Name(TOLD, ast.Load()),
            [ast.Constant(code), node.msg or ast.Constant(None)],
            [ast.keyword(None, ast.Dict([name for name, _ in values], [v for _, v in values]))],
        )
        return [*before, ast.copy_location(ast.Assert(_with(node.test, loads), text), node)]


def _parts(test: ast.expr) -> list[ast.expr]:
    """What one looks at first: both sides of a comparison, or what a function is given."""
    match test:
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=ast.Compare() as all_of), args=[], keywords=[]):
            return _parts(all_of)  # (a == b).all()
        case ast.Call(args=args, keywords=[]) if not any(
            isinstance(expression, ast.Starred) for expression in args
        ):
            return list(args)
    return []


def _is_literal(part: ast.expr) -> bool:
    """Whether it says itself what it is: a number, or a list of numbers."""
    kinds = (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load)
    return all(isinstance(node, kinds) for node in ast.walk(part))


def _with(test: ast.expr, parts: list[ast.expr]) -> ast.expr:
    """The same test on variables."""
    match test:
        case ast.Compare(ops=[one]) if parts:
            return ast.copy_location(ast.Compare(parts[0], [one], parts[1:]), test)
        case ast.Call(func=ast.Attribute(value=ast.Compare() as all_of, attr=name)) if parts:
            owner = ast.Attribute(_with(all_of, parts), name, ast.Load())
            return ast.copy_location(ast.Call(owner, [], []), test)
        case ast.Call(func=func) if parts:
            return ast.copy_location(ast.Call(func, parts, []), test)
    return test
