"""The mistakes that come nearest to what was seen, and what the text says of several."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from kata.course.catalogue import versions
from kata.course.source import functions, spelled, tree_of
from kata.diagnosis.evidence import Explained, explained
from kata.diagnosis.search import LOOSE, Search
from kata.diagnosis.suspects import Suspect
from kata.judging.judge import Claim

SAME = 0.98  # of the wrong numbers of a claim: rounding makes a few of them right
FEW = 0.2  # of what another mistake has left open may stay open beside a second one
HALF = 0.5  # of the wrong numbers of the first claim, and of all claims that fail
AGAINST = 0.1  # claims that hold, though the mistake fails them, for each that fails the same way
MOST_AGAINST = 4  # of them; more are not counted
FURTHER = 1.5  # times as far away has any other mistake to be
ENOUGH = 3  # claims that fail in exactly the same way
CLEARLY = 0.25  # nearer to the text than any other
LARGE = 1e300  # a number in an answer is smaller; Python refuses to write out much larger ones
UNLIKE = -0.5  # likeness of a text that does not do what the mistake does


@dataclass(frozen=True, eq=False)
class Near:
    """How well a suspect explains what was seen, beside others that explain a part of it."""

    search: Search
    suspect: Suspect
    beside: tuple[Suspect, ...] = ()
    _known: dict[str, Explained] = field(default_factory=dict)

    @cached_property
    def parts(self) -> list[Explained]:
        """For each claim that fails, as far as it is not explained yet."""
        parts = (self.part(claim) for claim in self.search.failing)
        return [each for each in parts if each.all]

    def part(self, claim: Claim) -> Explained:
        """How much of one failing claim it explains."""
        if claim.id not in self._known:
            self._known[claim.id] = self._compared(claim)
        return self._known[claim.id]

    def _compared(self, claim: Claim) -> Explained:
        theirs = self.suspect.finding(claim)
        right = self.search.suspects.reference.finding(claim)
        findings = [each.finding(claim) for each in self.beside]
        return explained(self.search.seen(claim), theirs, right, findings, LOOSE)

    @cached_property
    def against(self) -> int:
        """Claims that hold, though the mistake fails them; more than a few are not counted."""
        failing = (claim for claim in self.search.holding if self._fails(claim))
        return len(list(islice(failing, MOST_AGAINST)))

    @property
    def little_against(self) -> bool:
        """Whether no more speaks against it than a slip of another spelling can do."""
        return self.against <= max(1, AGAINST * self.same)

    def _fails(self, claim: Claim) -> bool:
        calls = self.search.seen(claim).called
        if self.suspect.surely_fails(claim):
            return True
        if self.suspect.surely_holds(claim, calls):
            return False
        return not self.suspect.finding(claim).verdict.held

    @property
    def same(self) -> int:
        """Claims that fail in exactly the same way."""
        return sum(each.share > SAME for each in self.parts)

    @cached_property
    def distance(self) -> float:
        """0 if everything is the same."""
        return self.left_open + self.against

    @property
    def left_open(self) -> float:
        """Claims that fail, each by how much of it is not explained."""
        return sum(1 - each.share for each in self.parts)

    @property
    def explains_most(self) -> bool:
        """Whether this mistake is in the code, as far as results can tell."""
        much = self.left_open <= HALF * len(self.parts)
        needed = ENOUGH - any(each.pattern for each in self.parts)
        sure = self.same >= needed or any(each.telling for each in self.parts)
        return much and sure and self.little_against and self.same > 0

    @property
    def explains_all(self) -> bool:
        """Whether nothing is left to explain, and nothing speaks against it."""
        return self.same == len(self.parts) and not self.against

    def explains(self, claim: Claim) -> bool:
        """Whether it explains at least this claim, by more than an accident."""
        part = self.part(claim)
        return part.share > SAME and (part.telling or part.pattern)


def nearest(search: Search, text: str) -> list[Near]:
    """The one suspect that is nearer than all others; or two that come equally close."""
    return _nearest(search, search.candidates(), search.first, (), text)


def closest(search: Search, suspects: list[Suspect]) -> list[Suspect]:
    """Of several that give the same results, those that also have the same names and numbers."""
    if len(suspects) < 2:
        return suspects
    left = {suspect: Near(search, suspect).left_open for suspect in suspects}
    return [suspect for suspect in suspects if left[suspect] <= min(left.values()) + 1 - SAME]


def second(first: Near, text: str) -> Near | None:
    """One that explains what the first one leaves open."""
    search = first.search
    left = [claim for claim in search.failing if first.part(claim).share <= SAME]
    if first.left_open < HALF:
        return None
    found = _nearest(search, search.meeting(left[0]), left[0], (first.suspect,), text)
    sure = len(found) == 1 and found[0].explains_most
    return found[0] if sure and found[0].left_open <= FEW * len(found[0].parts) else None


def _nearest(
    search: Search,
    among: Iterable[Suspect],
    claim: Claim,
    beside: tuple[Suspect, ...],
    text: str,
) -> list[Near]:
    known = {slug for suspect in beside for slug in suspect.slugs}
    every = (Near(search, suspect, beside) for suspect in among if not suspect.slugs & known)
    likely = _leading([each for each in every if each.part(claim).share >= HALF])
    elsewhere = [] if beside else _leading(list(_in_other_versions(likely)))
    return _clear(sorted([*likely, *elsewhere], key=lambda each: each.distance), text)


def _leading(candidates: list[Near]) -> list[Near]:
    """Those that explain nearly as much as any other, claim by claim."""
    left_open = dict.fromkeys(candidates, 0.0)
    for claim in candidates[0].search.failing if candidates else []:
        for each in left_open:
            part = each.part(claim)
            left_open[each] += (1 - part.share) if part.all else 0
        most = FURTHER * min(left_open.values()) + 1
        left_open = {each: count for each, count in left_open.items() if count <= most}
    return list(left_open)


def _in_other_versions(likely: Iterable[Near]) -> Iterator[Near]:
    """The same mistakes in people's first versions of the exercise, which neglect something too."""
    for candidate in likely:
        search = candidate.search
        for version in versions(search.exercise) if candidate.distance else ():
            for suspect in search.suspects.with_one(candidate.suspect.mistakes[0], version):
                yield Near(search, suspect)


def _clear(ranked: Sequence[Near], text: str) -> list[Near]:
    """Those that no other comes close to; of several, the one that the text looks like."""
    if not ranked:
        return []
    first = ranked[0]
    close = [each for each in ranked if each.distance < FURTHER * first.distance + HALF]
    forms = {each.suspect.mistakes[0].slug: each for each in reversed(close)}  # the nearest of each
    rivals = [form for form in forms.values() if not form.suspect.slugs & first.suspect.slugs]
    right = first.search.suspects.reference.text
    twins = [form for form in forms.values() if form.distance == first.distance]
    same = rivals or [twin for twin in twins if twin is not first]
    suspects = likeliest([each.suspect for each in (first, *same)], text, right)
    if not rivals:
        return [each for each in (first, *same) if each.suspect is suspects[0]]
    return [each for each in (first, *same) if each.suspect in suspects]


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
