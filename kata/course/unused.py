"""What a learner's code makes or is given, and never uses: its text alone shows that."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from kata.course.source import Source, functions, spelled

# What reaches names without writing them: where it is in the code, nothing is said.
INDIRECT = {"getattr", "vars", "locals", "eval", "exec", "children", "named_children", "modules"}
INDIRECT |= {"named_modules", "_modules", "__dict__", "get_submodule", "get_parameter"}
KINDS = (ast.Name, ast.Attribute, ast.Assign)
BASES = ({"nn.Module"}, {"Module"}, {"torch.nn.Module"})


@lru_cache(maxsize=128)  # a suite asks about the same few functions again and again
def unused(source: Source, name: str) -> tuple[str, ...]:
    """Parameters of a function, or parts of a module, that no line of it reads."""
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return tuple(_unused_in_class(node))
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return tuple(_unread(node))
    return ()


@lru_cache(maxsize=32)  # the same class and its methods are looked through for several things
def _nodes(node: ast.AST) -> dict[type[ast.AST], list[Any]]:
    """What is in it, by kind."""
    found: dict[type[ast.AST], list[Any]] = {each: [] for each in KINDS}
    for each in ast.walk(node):
        if type(each) in found:
            found[type(each)].append(each)
    return found


def _unused_in_class(node: ast.ClassDef) -> Iterator[str]:
    methods = [function for name, function in functions(ast.Module([node], [])) if "." in name]
    yield from (name for function in methods if _is_called(function) for name in _unread(function))
    if {spelled(base) for base in node.bases} in BASES and not _is_indirect(node):
        read = {
            attribute.attr for attribute in _of_self(node) if isinstance(attribute.ctx, ast.Load)
        }
        yield from (name for name in dict.fromkeys(_parts(node)) if name not in read)


def _is_called(method: ast.FunctionDef) -> bool:
    return method.name in {"__init__", "forward"}


def _unread(function: ast.FunctionDef) -> Iterator[str]:
    """Parameters that are never read."""
    if _is_indirect(function):
        return
    loaded = {value.id for value in _nodes(function)[ast.Name] if isinstance(value.ctx, ast.Load)}
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.arg != "self" and argument.arg not in loaded:
            yield argument.arg


def _is_indirect(node: ast.AST) -> bool:
    """Whether something may be used that is not named: `self` as a whole is such a thing, too."""
    names = [value.id for value in _nodes(node)[ast.Name]]
    if names.count("self") > len(_of_self(node)):
        return True
    parts = {value.attr for value in _nodes(node)[ast.Attribute]}
    return not INDIRECT.isdisjoint(parts.union(names))


def _of_self(node: ast.AST) -> list[ast.Attribute]:
    return [
        each
        for each in _nodes(node)[ast.Attribute]
        if isinstance(each.value, ast.Name) and each.value.id == "self"
    ]


def _parts(node: ast.ClassDef) -> Iterator[str]:
    """What is made of a class, like `self.norm2 = LayerNorm(…)`; a number need not be used."""
    for value in _nodes(node)[ast.Assign]:
        if _makes_a_part(value.value):
            for target in value.targets:
                yield from (attribute.attr for attribute in _of_self(target))


def _makes_a_part(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    return spelled(value.func).split(".")[-1][:1].isupper()
