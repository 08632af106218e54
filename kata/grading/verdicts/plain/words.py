"""Names that the code puts together: what `getattr(self, name)` can ask for.

It is seen where `name` comes from: a loop over texts that stand there, or a text that begins with
one, as in `f"norm{number}"`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TypeGuard

BINDS = (ast.MatchAs, ast.MatchStar, ast.ExceptHandler, ast.FunctionDef)
Source = ast.expr | None  # where a value comes from; None if anywhere


class Words:
    """The texts that the variables of a function can be."""

    def __init__(self, function: ast.AST) -> None:
        nodes = [*ast.walk(function)]
        loops = dict(chain.from_iterable(map(_loops, nodes)))
        given = {**loops, **dict(chain.from_iterable(map(_assigned, nodes)))}
        self._from: dict[str, list[Source]] = {}
        for node in nodes:
            for name in _bound(node):
                self._from.setdefault(name, []).append(given.get(id(node)))
        looped = Counter(each.id for each in loops.values() if isinstance(each, ast.Name))
        read = Counter(each.id for each in nodes if _is_read(each))
        self._only_looped = {name for name, times in read.items() if looped[name] == times}

    def of(self, node: Source) -> list[str] | None:
        """What the text can be; one that only begins so ends with `*`. None if anything."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.JoinedStr):
            return [f"{each}*" for each in self.of(next(iter(node.values), None)) or ()] or None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return [f"{each}*" for each in self.of(node.left) or ()] or None
        if isinstance(node, ast.Name):
            return _all(map(self._each_in, self._from.get(node.id, [None])))
        return None

    def _each_in(self, node: Source, *, known: bool = True) -> list[str] | None:
        """What a variable can be that goes through this; `known` if nobody can have changed it."""
        if isinstance(node, ast.Tuple) or (known and isinstance(node, ast.List)):
            return _all(None if isinstance(e, ast.Name) else self.of(e) for e in node.elts)
        if isinstance(node, ast.IfExp):
            return _all(self._each_in(each, known=known) for each in (node.body, node.orelse))
        if isinstance(node, ast.ListComp) and known and isinstance(node.elt, ast.JoinedStr):
            return self.of(node.elt)
        if isinstance(node, ast.Name) and len(found := self._from.get(node.id, [])) == 1:
            inside = found[0] if not isinstance(found[0], ast.Name) else None
            return self._each_in(inside, known=node.id in self._only_looped)
        return None


def _all(found: Iterator[list[str] | None]) -> list[str] | None:
    known = list(found)
    return None if None in known else list(chain.from_iterable(filter(None, known)))


def _loops(node: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """The target of a loop with what it goes through; `enumerate` only counts along."""
    if not isinstance(node, ast.For | ast.comprehension):
        return
    source, target = node.iter, node.target
    if not isinstance(source, ast.Call):
        yield id(target), source
    elif getattr(source.func, "id", "") == "enumerate" and source.args:
        yield id(target.elts[-1] if isinstance(target, ast.Tuple) else source), source.args[0]


def _assigned(node: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        yield id(node.targets[0]), node.value


def _bound(node: ast.AST) -> Iterator[str]:
    """The name that something is given here."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, BINDS):
        yield node.name or ""


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
