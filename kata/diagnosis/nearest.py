"""The mistakes that come nearest to what was seen, if none gives exactly the same.

Everybody writes in their own way, and few make one mistake alone, so a known mistake often gives
other numbers in a part of the claims. Here each wrong number is compared: a mistake that reproduces
most of them, and fails nothing that holds, is the one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from kata.course.catalogue import versions
from kata.diagnosis.explained import Explained, explained
from kata.diagnosis.in_source import likeliest
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


def _leading(near: list[Near]) -> list[Near]:
    """Those that explain nearly as much as any other, claim by claim."""
    left_open = dict.fromkeys(near, 0.0)
    for claim in near[0].search.failing if near else []:
        for each in left_open:
            part = each.part(claim)
            left_open[each] += (1 - part.share) if part.all else 0
        most = FURTHER * min(left_open.values()) + 1
        left_open = {each: count for each, count in left_open.items() if count <= most}
    return list(left_open)


def _in_other_versions(likely: Iterable[Near]) -> Iterator[Near]:
    """The same mistakes in people's first versions of the exercise, which neglect something too."""
    for near in likely:
        search = near.search
        for version in versions(search.exercise) if near.distance else ():
            for suspect in search.suspects.with_one(near.suspect.mistakes[0], version):
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
