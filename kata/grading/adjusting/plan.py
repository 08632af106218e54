"""All that is decided about marks and names before anything is graded."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kata.class_verdict import Missing, SubmissionVerdict
from kata.errors import UserError
from kata.files import read_table
from kata.grading.adjusting import overrules, roster
from kata.grading.adjusting.adjusted import Adjusting, Entry
from kata.grading.adjusting.anonymous.codes import Codes
from kata.grading.adjusting.anonymous.hidden import Hidden, hiding
from kata.grading.adjusting.choices import Choices
from kata.grading.adjusting.decided import Decisions, Finder, by_person
from kata.grading.adjusting.entries import Maker, uploaded
from kata.grading.adjusting.late_work.told import on_times, on_unknown
from kata.grading.adjusting.people import People, Person
from kata.grading.adjusting.whose import Whose, by_roster, unique_names, without_roster
from kata.grading.collecting.names import few
from kata.grading.collecting.students import Student
from kata.grading.collecting.submissions import HandedIn
from kata.grading.options import Options
from kata.grading.similarity.in_background import Alike
from kata.text import shown
from kata.words import say

MOST_MISSING = 40  # names in the terminal
ABOUT = "about.json"


@dataclass(frozen=True)
class Plan:
    """What is done with names before the grading, and with verdicts after it.

    Args:
        students: who handed in; of an anonymous class in the order of their codes.
        adjusting: what is done with verdicts.
        told: what the instructor should know.
        undecided: what the instructor has to decide.
        called: what work is called in flags about others, by the name that it is graded under.
        hidden: of an anonymous class: its codes, and what takes names out of texts.
    """

    students: tuple[Student, ...] = ()
    adjusting: Adjusting = field(default_factory=Adjusting)
    told: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    hidden: Hidden | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The names under which work is graded, in the order of the reports."""
        return self.adjusting.sources(tuple(sorted(each.name for each in self.students)))

    def handed(self, handed: HandedIn) -> HandedIn:
        """Work as it is graded: under a code, if the class is anonymous."""
        return self.hidden.handed(handed) if self.hidden else handed

    def verdict(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """A verdict as it is kept."""
        return self.hidden.hider.verdict(verdict) if self.hidden else verdict

    def call(self, source: str) -> str:
        """What this work is called in flags about others."""
        return self.called.get(source, source)

    def by_source(self, found: Alike) -> Alike:
        """Flags by the names under which work is graded, instead of what it is called."""
        sources = {name: source for source, name in self.called.items()}
        return {(sources.get(name, name), slug): text for (name, slug), text in found.items()}


def planned(
    students: list[Student], choices: Choices, options: Options, grades: Path, *, strict: bool
) -> Plan:
    """The plan for these students; a UserError says what of it is impossible.

    `strict` is false if a few of a class are looked at again: others may be missing then.
    """
    if strict:
        _check_folder(choices, grades)
    if not choices.any:
        return Plan(
            tuple(students),
            Adjusting(_unchanged(students), sealed=choices.exam, scale=choices.scale),
        )
    codes = Codes(choices.key, grades) if choices.key else None
    whose = _whose(students, choices, strict=strict)
    names = unique_names([*(each.person for each in whose.claimed), *whose.missing])
    finder = Finder(whose, names, codes.student if codes else str)
    decisions, ignored = _decisions(choices, options, finder, strict=strict)
    maker = Maker(choices, names, decisions, codes)
    plan = _plan(maker, whose, ignored)
    if codes is None:
        return replace(plan, students=tuple(students))
    hidden = hiding(whose, names, codes)
    codes.keep()
    return _anonymous(replace(plan, students=tuple(hidden.ordered(students))), hidden)


def _unchanged(students: Iterable[Student]) -> tuple[Entry, ...]:
    """Everybody as they are, with the name of their work on the platform, which takes feedback."""
    everybody = sorted(students, key=lambda each: each.name)
    return tuple(Entry(each.name, each.name, upload=uploaded(each)) for each in everybody)


def _plan(maker: Maker, whose: Whose, ignored: list[str]) -> Plan:
    entries, times = maker.entries(whose)
    absent = {each: maker.missing(each) for each in whose.missing}
    missing = tuple(gone for each, gone in absent.items() if not maker.has_mark(each))
    choices, sections = maker.choices, _sections(maker.names)
    how = Adjusting(tuple(entries), choices.late, missing, sections, choices.exam, choices.scale)
    told = [*_on_missing([*absent.values()], whose.listed), *ignored]
    told += _unheard(maker, whose.missing)
    told += on_times(times, choices.deadline)
    undecided = (*whose.undecided, *on_unknown(times, choices.deadline))
    return Plan(adjusting=how, told=tuple(told), undecided=undecided, called=maker.called(whose))


def _anonymous(plan: Plan, hidden: Hidden) -> Plan:
    """Without names in what is told, and in what the instructor has written."""
    entries = tuple(map(hidden.entry, plan.adjusting.entries))
    told, undecided = (tuple(map(hidden.hider.text, each)) for each in (plan.told, plan.undecided))
    return replace(plan, adjusting=replace(plan.adjusting, entries=entries), told=told,
                   undecided=undecided, hidden=hidden)  # fmt: skip


def _check_folder(choices: Choices, grades: Path) -> None:
    """Names and codes of one class never stand in one folder."""
    path = grades / ABOUT
    if not path.exists():
        return
    about: Mapping[str, object] = {}
    with suppress(OSError, ValueError):
        about = read_table(path)
    before = bool(about.get("anonymous"))
    if before is not bool(choices.key):
        key = "adjusting.anonymous-before" if before else "adjusting.named-before"
        raise UserError(say(key, grades=grades))


def _on_missing(missing: list[Missing], everybody: int) -> Iterator[str]:
    if not missing:
        return
    names = ", ".join(shown(each.student) for each in missing[:MOST_MISSING])
    if (more := len(missing) - MOST_MISSING) > 0:
        names = say("adjusting.missing-more", names=names, count=more)
    key = "adjusting.missing-one" if len(missing) == 1 else "adjusting.missing"
    yield say(key, count=len(missing), all=everybody, names=names)


def _unheard(maker: Maker, missing: Iterable[Person]) -> Iterator[str]:
    """Who handed in nothing and is overruled, but not by points: that waits for their work."""
    names = [maker.missing(each).student for each in missing
             if each in maker.decisions and not maker.has_mark(each)]  # fmt: skip
    if names:
        yield say("adjusting.unheard", names=few(map(shown, names)))


def _whose(students: list[Student], choices: Choices, *, strict: bool) -> Whose:
    if not choices.roster:
        return without_roster(students)
    found = by_roster(students, People(roster.read(choices.roster)))
    return found if strict else replace(found, missing=(), undecided=())


def _sections(people: Iterable[Person]) -> tuple[str, ...]:
    return tuple(sorted({each.section for each in people if each.section}))


def _decisions(
    choices: Choices, options: Options, finder: Finder, *, strict: bool
) -> tuple[Decisions, list[str]]:
    """Rows by person, without those about exercises that are not graded; and how many these are."""
    if not choices.overrules:
        return {}, []
    rows = overrules.read(choices.overrules)
    mine = [each for each in rows if not each.slug or each.slug in options.points]
    whole = sum(options.points.values()) + options.proof_points * len(options.slugs)
    most = {**options.points, "": whole}
    wrong = overrules.impossible(mine, most.__getitem__)
    more = len(rows) - len(mine)
    told = [say("adjusting.not-graded-here", count=more)] if more else []
    return by_person(mine, finder, wrong, strict=strict), told
