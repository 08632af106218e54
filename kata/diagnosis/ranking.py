"""The ranking of suspects: how much of the results they explain, and how much of the text."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice

from kata.course.catalogue import versions
from kata.course.source import functions, spelled, tree_of
from kata.diagnosis.evidence import Agreement, agreement
from kata.diagnosis.search import LOOSE, Search
from kata.diagnosis.suspects import Suspect
from kata.judging.judge import Claim

SAME = 0.98  # of the wrong numbers of a claim: rounding makes a few of them right
FEW = 0.2  # the share of the failures left by a first mistake that a second one may leave
HALF = 0.5  # of the wrong numbers of the first claim, and of all claims that fail
AGAINST = 0.1  # claims that hold, though the mistake fails them, per claim that fails the same way
MOST_AGAINST = 4  # of such claims are counted
FURTHER = 1.5  # how many times as far away any other mistake has to be
ENOUGH = 3  # claims that fail in exactly the same way
CLEARLY = 0.25  # the lead in likeness to the text that decides
LARGE = 1e300  # a number in an answer is smaller; Python refuses to write out much larger ones
UNLIKE = -0.5  # likeness of a text that does not do what the mistake does


@dataclass(frozen=True, eq=False)
class Near:
    """A suspect that comes near to the results, beside others that explain a part of them."""

    search: Search
    suspect: Suspect
    beside: tuple[Suspect, ...] = ()
    _parts: dict[str, Agreement] = field(default_factory=dict)

    @cached_property
    def parts(self) -> list[Agreement]:
        """The agreement in all failing claims, unless others explain them."""
        parts = (self.part(claim) for claim in self.search.failing)
        return [part for part in parts if part.all]

    def part(self, claim: Claim) -> Agreement:
        """Return the agreement in one failing claim."""
        if claim.id not in self._parts:
            self._parts[claim.id] = self._agreement(claim)
        return self._parts[claim.id]

    def _agreement(self, claim: Claim) -> Agreement:
        theirs = self.suspect.finding(claim)
        right = self.search.suspects.reference.finding(claim)
        beside = [suspect.finding(claim) for suspect in self.beside]
        return agreement(self.search.finding(claim), theirs, right, beside, LOOSE)

    @cached_property
    def against(self) -> int:
        """The number of claims that hold, though the mistake fails them, up to a few."""
        failing = (claim for claim in self.search.holding if self._fails(claim))
        return len(list(islice(failing, MOST_AGAINST)))

    @property
    def little_against(self) -> bool:
        """True if no more speaks against it than another spelling of the mistake could cause."""
        return self.against <= max(1, AGAINST * self.same)

    def _fails(self, claim: Claim) -> bool:
        calls = self.search.finding(claim).called
        if self.suspect.surely_fails(claim):
            return True
        if self.suspect.surely_holds(claim, calls):
            return False
        return not self.suspect.finding(claim).verdict.held

    @property
    def same(self) -> int:
        """The number of claims that fail in exactly the same way."""
        return sum(part.share > SAME for part in self.parts)

    @cached_property
    def distance(self) -> float:
        """The distance from the results; 0 if everything is the same."""
        return self.left_open + self.against

    @property
    def left_open(self) -> float:
        """The sum of the unexplained shares of failing claims."""
        return sum(1 - part.share for part in self.parts)

    @property
    def explains_most(self) -> bool:
        """True if this mistake is in the code, as far as results can tell."""
        much = self.left_open <= HALF * len(self.parts)
        enough = ENOUGH - any(part.pattern for part in self.parts)
        sure = self.same >= enough or any(part.telling for part in self.parts)
        return much and sure and self.little_against and self.same > 0

    @property
    def explains_all(self) -> bool:
        """True if nothing is left to explain, and nothing speaks against it."""
        return self.same == len(self.parts) and not self.against

    def explains(self, claim: Claim) -> bool:
        """Return True if it explains this claim by more than an accident."""
        part = self.part(claim)
        return part.share > SAME and (part.telling or part.pattern)


def nearest(search: Search, text: str) -> list[Near]:
    """Return the suspect that is nearer than all others, or two that come equally close."""
    return _nearest(search, search.candidates(), search.first, (), text)


def closest(search: Search, suspects: list[Suspect]) -> list[Suspect]:
    """Keep of suspects with the same results those that also have the same names and numbers."""
    if len(suspects) < 2:
        return suspects
    left = {suspect: Near(search, suspect).left_open for suspect in suspects}
    return [suspect for suspect in suspects if left[suspect] <= min(left.values()) + 1 - SAME]


def second(first: Near, text: str) -> Near | None:
    """Return a suspect that explains what the first one leaves open."""
    search = first.search
    left = [claim for claim in search.failing if first.part(claim).share <= SAME]
    if first.left_open < HALF:
        return None
    winners = _nearest(search, search.meeting(left[0]), left[0], (first.suspect,), text)
    sure = len(winners) == 1 and winners[0].explains_most
    return winners[0] if sure and winners[0].left_open <= FEW * len(winners[0].parts) else None


def _nearest(
    search: Search,
    suspects: Iterable[Suspect],
    claim: Claim,
    beside: tuple[Suspect, ...],
    text: str,
) -> list[Near]:
    taken = {slug for suspect in beside for slug in suspect.slugs}
    candidates = (Near(search, suspect, beside) for suspect in suspects
                  if not suspect.slugs & taken)  # fmt: skip
    likely = _leading([near for near in candidates if near.part(claim).share >= HALF])
    elsewhere = [] if beside else _leading(list(_in_other_versions(likely)))
    return _winners(sorted([*likely, *elsewhere], key=lambda near: near.distance), text)


def _leading(candidates: list[Near]) -> list[Near]:
    """Keep those that explain nearly as much as any other, claim by claim."""
    left_open = dict.fromkeys(candidates, 0.0)
    for claim in candidates[0].search.failing if candidates else []:
        for near in left_open:
            part = near.part(claim)
            left_open[near] += (1 - part.share) if part.all else 0
        most = FURTHER * min(left_open.values()) + 1
        left_open = {near: count for near, count in left_open.items() if count <= most}
    return list(left_open)


def _in_other_versions(likely: Iterable[Near]) -> Iterator[Near]:
    """Yield the same mistakes in people's first versions, which leave something out, too."""
    for near in likely:
        search = near.search
        for version in versions(search.exercise) if near.distance else ():
            for suspect in search.suspects.with_one(near.suspect.mistakes[0], version):
                yield Near(search, suspect)


def _winners(ranked: Sequence[Near], text: str) -> list[Near]:
    """Keep those that no other comes close to; of several, the one that the text looks like."""
    if not ranked:
        return []
    first = ranked[0]
    close = [near for near in ranked if near.distance < FURTHER * first.distance + HALF]
    nearest_forms = {near.suspect.mistakes[0].slug: near for near in reversed(close)}.values()
    rivals = [near for near in nearest_forms if not near.suspect.slugs & first.suspect.slugs]
    twins = [near for near in nearest_forms if near.distance == first.distance]
    leaders = [first, *(rivals or (twin for twin in twins if twin is not first))]
    right = first.search.suspects.reference.text
    suspects = likeliest([near.suspect for near in leaders], text, right)
    if not rivals:
        return [near for near in leaders if near.suspect is suspects[0]]
    return [near for near in leaders if near.suspect in suspects]


# -- the text


def likeliest(suspects: Sequence[Suspect], text: str, right: str) -> list[Suspect]:
    """Keep of suspects with the same results the one with its change in the text; else all."""
    if len(suspects) < 2 or not text:
        return list(suspects)
    ordered = sorted(suspects, key=lambda suspect: -likeness(suspect, text, right))
    rivals = [suspect for suspect in ordered if not suspect.slugs & ordered[0].slugs] or ordered[1:]
    lead = likeness(ordered[0], text, right) - likeness(rivals[0], text, right)
    return ordered[:1] if lead >= CLEARLY else _left_out(suspects, text, right)


def likeness(suspect: Suspect, text: str, right: str) -> float:
    """Return the share of a mistake's additions in the text, less that of what it takes away."""
    change = _change(suspect, text, right)
    return _share(change.adds, change.text) - _share(change.takes_away, change.text)


def _left_out(suspects: Sequence[Suspect], text: str, right: str) -> list[Suspect]:
    """Prefer the suspect that only leaves code out, if the text has nothing that the others add.

    A text without any check does not have a wrong check.
    """
    changes = [_change(suspect, text, right) for suspect in suspects]
    pairs = zip(suspects, changes, strict=True)
    omissions = [suspect for suspect, change in pairs if change.only_leaves_out]
    absent = sum(change.is_absent for change in changes)
    return omissions if len(omissions) == 1 and absent == len(suspects) - 1 else list(suspects)


@dataclass(frozen=True)
class Change:
    """The features that a mistake adds to the right answer and takes away, and those of a text."""

    adds: frozenset[str]
    takes_away: frozenset[str]
    text: frozenset[str]

    @property
    def only_leaves_out(self) -> bool:
        """True if it adds nothing, and the text has nothing of what it takes away."""
        return not self.adds and bool(self.takes_away) and not self.takes_away & self.text

    @property
    def is_absent(self) -> bool:
        """True if it adds something, and the text has nothing of that."""
        return bool(self.adds) and not self.adds & self.text


def _change(suspect: Suspect, text: str, right: str) -> Change:
    wrong_bodies, right_bodies = _bodies(suspect.text), _bodies(right)
    helpers = {name for name, _ in functions(tree_of(text))} - right_bodies.keys()
    changed = frozenset(name for name in right_bodies
                        if wrong_bodies.get(name) != right_bodies[name])  # fmt: skip
    before, after = _features(right, changed), _features(suspect.text, changed)
    return Change(after - before, before - after, _features(text, changed | helpers))


def unlike(suspect: Suspect, text: str, right: str) -> bool:
    """Return True if the text lacks what the mistake adds, and has what it takes away."""
    return bool(text) and likeness(suspect, text, right) <= UNLIKE


def contradicts(suspect: Suspect, text: str, right: str) -> bool:
    """Return True if the text reads an argument that the mistake never looks at."""
    return bool(text) and bool((_reads(right) - _reads(suspect.text)) & _reads(text))


def _share(features: frozenset[str], text: frozenset[str]) -> float:
    return len(features & text) / len(features) if features else 0.0


@lru_cache(maxsize=512)
def _bodies(text: str) -> dict[str, str]:
    """Return the bodies of the functions and methods of a program, as text."""
    return {name: ast.unparse(function.body) for name, function in functions(tree_of(text))}  # type: ignore[arg-type]  # it also takes a list


@lru_cache(maxsize=512)
def _features(text: str, names: frozenset[str]) -> frozenset[str]:
    """Return the calls, operators, attributes and numbers in functions of a program."""
    bodies = (function for name, function in functions(tree_of(text)) if name in names)
    return frozenset(feature for function in bodies for feature in _features_of(function))


def _features_of(tree: ast.AST) -> Iterator[str]:
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
def _reads(text: str) -> frozenset[tuple[str, str]]:
    """Return pairs of a function and an argument that it reads."""
    return frozenset(
        (name, node.id)
        for name, function in functions(tree_of(text))
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in {argument.arg for argument in function.args.args}
    )
