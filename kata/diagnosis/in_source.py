"""What the text of an answer says, where its results leave a choice between known mistakes."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kata.course.source import functions, spelled, tree_of
from kata.diagnosis.suspects import Suspect

CLEARLY = 0.25  # nearer to the text than any other
LARGE = 1e300  # a number in an answer is smaller; Python refuses to write out much larger ones
UNLIKE = -0.5  # likeness of a text that does not do what the mistake does


def likeliest(suspects: Sequence[Suspect], text: str, right: str) -> list[Suspect]:
    """Of several that give the same results, the one whose change stands in the text; else all."""
    if len(suspects) < 2 or not text:
        return list(suspects)
    ordered = sorted(suspects, key=lambda suspect: -likeness(suspect, text, right))
    others = [suspect for suspect in ordered if not suspect.slugs & ordered[0].slugs] or ordered[1:]
    first, second = (likeness(suspect, text, right) for suspect in (ordered[0], others[0]))
    return ordered[:1] if first - second >= CLEARLY else _left_out(suspects, text, right)


def likeness(suspect: Suspect, text: str, right: str) -> float:
    """From −1 to 1: how much of what the mistake adds stands there, less what it takes away."""
    change = _change(suspect, text, right)
    return _share(change.adds, change.there) - _share(change.takes_away, change.there)


def _left_out(suspects: Sequence[Suspect], text: str, right: str) -> list[Suspect]:
    """The one that only leaves out what is not there, if nothing that the others add is; else all.

    Whoever has no check at all has not written it wrongly.
    """
    changes = [_change(suspect, text, right) for suspect in suspects]
    omitted = [
        suspect for suspect, change in zip(suspects, changes, strict=True) if change.only_leaves_out
    ]
    invented = sum(change.is_not_there for change in changes)
    return omitted if len(omitted) == 1 and invented == len(suspects) - 1 else list(suspects)


@dataclass(frozen=True)
class Change:
    """What a mistake adds to the right answer and takes away from it, and what stands in a text."""

    adds: frozenset[str]
    takes_away: frozenset[str]
    there: frozenset[str]

    @property
    def only_leaves_out(self) -> bool:
        """Whether it adds nothing, and the text has nothing of what it takes away."""
        return not self.adds and bool(self.takes_away) and not self.takes_away & self.there

    @property
    def is_not_there(self) -> bool:
        """Whether it adds something, and the text has nothing of that."""
        return bool(self.adds) and not self.adds & self.there


def _change(suspect: Suspect, text: str, right: str) -> Change:
    wrong, reference = _parts(suspect.text), _parts(right)
    written = {name for name, _ in functions(tree_of(text))}
    others = written - reference.keys()  # helpers
    at = {name for name in reference if wrong.get(name) != reference[name]}
    mine = _features(text, frozenset(at | others))
    ours = _features(suspect.text, frozenset(at)), _features(right, frozenset(at))
    return Change(ours[0] - ours[1], ours[1] - ours[0], mine)


def unlike(suspect: Suspect, text: str, right: str) -> bool:
    """Whether what the mistake adds is not in the text, and what it takes away is."""
    return bool(text) and likeness(suspect, text, right) <= UNLIKE


def contradicts(suspect: Suspect, text: str, right: str) -> bool:
    """Whether the text reads an argument that the mistake never looks at."""
    return bool(text) and bool((_read(right) - _read(suspect.text)) & _read(text))


def _share(some: frozenset[str], of: frozenset[str]) -> float:
    return len(some & of) / len(some) if some else 0.0


@lru_cache(maxsize=512)
def _parts(text: str) -> dict[str, str]:
    """The functions and methods of a program, as text."""
    return {name: ast.unparse(function.body) for name, function in functions(tree_of(text))}  # type: ignore[arg-type]  # it also takes a list


@lru_cache(maxsize=512)
def _features(text: str, names: frozenset[str]) -> frozenset[str]:
    """The calls, operators, attributes and numbers of some functions of a program."""
    found = (function for name, function in functions(tree_of(text)) if name in names)
    return frozenset(feature for function in found for feature in _named(function))


def _named(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name):
                yield f".{name}"
            case ast.Call(func=ast.Name(id=name)):
                yield f"{name}()"
            case ast.keyword(arg=str(name), value=value):
                yield f"{name}={spelled(value)}"
            case ast.BinOp(left=ast.List()) | ast.BinOp(right=ast.List()):
                yield f"List{type(node.op).__name__}"  # [x] * 3 is no product
            case ast.UnaryOp(op=operator) | ast.BinOp(op=operator) | ast.AugAssign(op=operator):
                yield type(node).__name__ + type(operator).__name__
            case ast.Compare(ops=[operator, *_]):
                yield type(operator).__name__
            case ast.Constant(value=int() | float() as number) if abs(number) < LARGE:
                yield str(number)
            case ast.For() | ast.While() | ast.If() | ast.Expr(value=ast.Call()):
                yield type(node).__name__
            case _:
                pass


@lru_cache(maxsize=512)
def _read(text: str) -> frozenset[tuple[str, str]]:
    """(function, argument) for each argument that a function reads."""
    return frozenset(
        (name, node.id)
        for name, function in functions(tree_of(text))
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in {argument.arg for argument in function.args.args}
    )
