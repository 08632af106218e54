"""All that is decided about marks and names before anything is graded.

`run` calls `planned`, takes names out with the `Plan` it gets, and passes it on to `adjusted`. What
is impossible is a UserError before the first judge starts. Nothing is written but the key file of
an anonymous class.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cached_property
from pathlib import Path

from kata.class_verdict import Missing, SubmissionVerdict
from kata.errors import UserError
from kata.files import read_table
from kata.grading import adjusted, late, people
from kata.grading.adjusted import Adjusting, Decisions, Entry, WrongRowError
from kata.grading.alike import Alike
from kata.grading.anonymous import Codes, Hider, hider
from kata.grading.collecting.names import few, fold
from kata.grading.collecting.students import Student
from kata.grading.collecting.submissions import Submission
from kata.grading.late import Arrival, Cost, Deadline, LateRule
from kata.grading.options import Options
from kata.grading.people import Attendance, Author, People, Person, names_of
from kata.marks import Scale
from kata.text import printable

ABOUT = "about.json"  # what the folder of the grades remembers
MOST_MISSING = 40  # names in the terminal


@dataclass(frozen=True)
class Choices:
    """The options about marks and names; by default none."""

    roster: Path | None = None
    deadline: Deadline | None = None
    late: LateRule | None = None
    overrules: Path | None = None
    key: Path | None = None
    exam: bool = False
    scale: Scale | None = None


NOTHING_ELSE = Choices()


@dataclass(frozen=True)
class Plan:
    """The plan for names before the grading, and for verdicts after it."""

    students: tuple[Student, ...] = ()  # of an anonymous class in the order of their codes
    adjusting: Adjusting = field(default_factory=Adjusting)
    notices: tuple[str, ...] = ()  # what the instructor should know
    undecided: tuple[str, ...] = ()  # what the instructor has to decide
    labels: Mapping[str, str] = field(default_factory=dict)  # of works in flags, by source
    hider: Hider | None = None  # of an anonymous class: what takes names out of texts

    def submission(self, submission: Submission) -> Submission:
        """Return work as it is graded: under a code, if the class is anonymous."""
        return self.hider.submission(submission) if self.hider else submission

    def verdict(self, verdict: SubmissionVerdict) -> SubmissionVerdict:
        """Return a verdict as it is kept."""
        return self.hider.verdict(verdict) if self.hider else verdict

    def label(self, source: str) -> str:
        """Return the name of this work in flags about others."""
        return self.labels.get(source, source)

    def by_source(self, flags: Alike) -> Alike:
        """Sort flags by the names under which work is graded, and not by its labels."""
        sources = {label: source for source, label in self.labels.items()}
        return {(sources.get(name, name), slug): flag for (name, slug), flag in flags.items()}


def planned(
    students: list[Student], choices: Choices, options: Options, grades: Path, *, strict: bool
) -> Plan:
    """Make the plan for these students; a UserError says what of it is impossible.

    `strict` is false if a few of a class are looked at again: others may be missing then.
    """
    if strict:
        _check_folder(choices, grades)
    codes = Codes(choices.key, grades) if choices.key else None
    attendance = people.attendance(students, choices.roster, strict=strict)
    names = names_of([*(author.person for author in attendance.authors), *attendance.missing])
    planner = _Planner(choices, attendance, names, codes)
    plan = planner.plan(planner.decide(options, strict=strict))
    if codes is None:
        return replace(plan, students=tuple(students))
    hiding = hider(attendance, names, codes)
    codes.keep()
    return _anonymous(plan, students, hiding)


def _check_folder(choices: Choices, grades: Path) -> None:
    """Raise a UserError if names and codes of one class would stand in one folder."""
    path = grades / ABOUT
    if not path.exists():
        return
    about: Mapping[str, object] = {}
    with suppress(OSError, ValueError):
        about = read_table(path)
    if about.get("anonymous") and not choices.key:
        raise UserError(
            f"{grades} is anonymous: give --anonymous with its key file, or choose another --grades"
        )
    if choices.key and not about.get("anonymous"):
        raise UserError(
            f"{grades} has names in it from an earlier run: with --anonymous, choose another "
            "--grades"
        )


def _anonymous(plan: Plan, students: Iterable[Student], hider: Hider) -> Plan:
    """Take the names out of notices, and out of what the instructor has written.

    Students are sorted by their codes: the order of the reports would tell the order of the names.
    """
    hide = hider.text
    entries = tuple(
        replace(entry, overrules=tuple(
            replace(row, comment=hide(row.comment), reason=hide(row.reason))
            for row in entry.overrules
        ))
        for entry in plan.adjusting.entries
    )  # fmt: skip
    return replace(
        plan,
        students=tuple(sorted(students, key=lambda student: hider.works[student.name])),
        adjusting=replace(plan.adjusting, entries=entries),
        notices=tuple(map(hide, plan.notices)),
        undecided=tuple(map(hide, plan.undecided)),
        hider=hider,
    )


@dataclass
class _Planner:
    """The planner of a class: it turns every part in a piece of work into the entry of a mark."""

    choices: Choices
    attendance: Attendance
    names: dict[Person, str]
    codes: Codes | None
    decisions: Decisions = field(default_factory=dict)

    def decide(self, options: Options, *, strict: bool) -> list[str]:
        """Note the instructor's decisions; return a line on those about other exercises."""
        if not self.choices.overrules:
            return []
        whole = sum(options.points.values()) + options.proof_points * len(options.slugs)
        most = {**options.points, "": whole}
        rows = adjusted.read_overrules(self.choices.overrules)
        graded = [row for row in rows if row.slug in most]
        self.decisions = adjusted.decisions(graded, most, self._find, strict=strict)
        left_out = len(rows) - len(graded)
        line = f"overrules about exercises that are not graded here were left out: {left_out}"
        return [line] if left_out else []

    def _find(self, word: str) -> list[Person]:
        """Return the people whom a row names: a student in any spelling, or a whole team."""
        name = self.codes.student(word) if self.codes else word
        if members := self._by_name.get(fold(name)) or self._people.team(name):
            return members
        people = self._people.find(name)
        if len(people) > 1:
            names = few(self.names[person] for person in people)
            raise WrongRowError(f"{printable(name)} may be {names}: write a number or a login")
        return people

    @cached_property
    def _people(self) -> People:
        return People(self.names)

    @cached_property
    def _by_name(self) -> dict[str, list[Person]]:
        by_name: dict[str, list[Person]] = {}
        for author in self.attendance.authors:
            for name in {fold(author.student.name), fold(self.names[author.person])}:
                by_name.setdefault(name, []).append(author.person)
        for person in self.attendance.missing:
            by_name.setdefault(fold(self.names[person]), []).append(person)
        return by_name

    def plan(self, left_out: Iterable[str]) -> Plan:
        """Make the plan, as yet with all names."""
        deadline = self.choices.deadline
        entries, arrivals = self._entries()
        missing = tuple(self._missing(person) for person in self.attendance.missing
                        if not self._has_mark(person))  # fmt: skip
        sections = tuple(sorted({person.section for person in self.names if person.section}))
        adjusting = Adjusting(tuple(entries), self.choices.late, missing, sections,
                              self.choices.exam, self.choices.scale)  # fmt: skip
        notices = [*self._on_missing(), *left_out, *self._on_unheard()]
        undecided = self.attendance.undecided
        if deadline:
            notices.append(late.count_late(arrivals, deadline))
            undecided += tuple(late.without_time(arrivals))
        return Plan((), adjusting, tuple(notices), undecided, self._labels())

    def _labels(self) -> dict[str, str]:
        names: dict[str, list[str]] = {}
        for author in self.attendance.authors:
            names.setdefault(self._source(author), []).append(self._name(author.person))
        return {source: ", ".join(mates) for source, mates in names.items()}

    def _entries(self) -> tuple[list[Entry], dict[str, Arrival]]:
        """Return one entry for every mark, in the order of the reports, and all arrivals."""
        entries: list[Entry] = []
        arrivals: dict[str, Arrival] = {}
        for author in self.attendance.authors:
            arrival = self._arrival(author.person) or late.arrival_of(author.student, self._zone)
            entries.append(self._entry(author, arrival))
            arrivals[entries[-1].student] = arrival
        for person in self.attendance.missing:
            if self._has_mark(person):
                missing, rows = self._missing(person), self.decisions[person]
                entries.append(Entry("", missing.student, missing.id, missing.section,
                                     missing.team, overrules=rows))  # fmt: skip
        choices = self.choices
        is_planned = choices.roster or choices.deadline or choices.overrules or choices.key
        key = fold if is_planned else str
        entries.sort(key=lambda entry: (key(entry.student), entry.number or ""))
        return entries, arrivals

    def _entry(self, author: Author, arrival: Arrival) -> Entry:
        person, deadline = author.person, self.choices.deadline
        cut = late.cost(arrival, deadline, self.choices.late) if deadline else Cost()
        mates = ", ".join(map(self._name, author.mates))
        together = [f"handed in together with {mates}"] if mates else []
        return Entry(
            self._source(author),
            self._name(person),
            self._number(author),
            person.section,
            "" if self.codes else person.team,
            (*together, *cut.notes),
            cut.days,
            cut.cause,
            self.decisions.get(person, ()),
            "" if self.codes else _upload(author.student),
        )

    def _source(self, author: Author) -> str:
        """Return the name under which the work is graded; for one person's work their own code."""
        if self.codes:
            return self.codes.of(author.work_name(self.names))
        return author.student.name

    def _name(self, person: Person) -> str:
        """Return the name, or the code in its place."""
        return self.codes.of(self.names[person]) if self.codes else self.names[person]

    def _number(self, author: Author) -> str | None:
        """Return the number in the roster, where the work has none of this person's own."""
        if self.codes:
            return ""
        if author.mates or (author.on_roster and not author.student.id):
            return author.person.id
        return None

    def _has_mark(self, person: Person) -> bool:
        """Return whether an overrule sets somebody's points, with work or without."""
        return any(row.points is not None for row in self.decisions.get(person, ()))

    def _missing(self, person: Person) -> Missing:
        if self.codes:
            return Missing(self._name(person), section=person.section)
        return Missing(self._name(person), person.id, person.section, person.team)

    def _on_missing(self) -> Iterator[str]:
        missing = self.attendance.missing
        if not missing:
            return
        names = ", ".join(printable(self._name(person)) for person in missing[:MOST_MISSING])
        if (more := len(missing) - MOST_MISSING) > 0:
            names = f"{names} and {more} more, in grades.csv"
        count = f"{len(missing)} of {self.attendance.listed} on the roster"
        have = "has" if len(missing) == 1 else "have"
        yield f"{count} {have} handed in nothing: {names}"

    def _on_unheard(self) -> Iterator[str]:
        """List missing people with overrules that set no points, and so wait for their work."""
        names = [printable(self._name(person)) for person in self.attendance.missing
                 if person in self.decisions and not self._has_mark(person)]  # fmt: skip
        if names:
            yield (
                "overruled, but nothing was handed in, and no points are given in its place: "
                f"{few(names)}"
            )

    @property
    def _zone(self) -> tzinfo | None:
        return self.choices.deadline.zone if self.choices.deadline else None

    def _arrival(self, person: Person) -> Arrival | None:
        """Return the time that the instructor tells, which counts before the platform's."""
        texts = [(row.handed_in, row.place) for row in self.decisions.get(person, ())]
        texts.append((person.handed_in, str(self.choices.roster)))
        text, place = next((pair for pair in texts if pair[0]), ("", ""))
        try:
            return Arrival(late.read_time(text, self._zone)) if text else None
        except (ValueError, OverflowError):
            reason = f"{printable(text)} is not a time: write it like 2026-03-01 23:59"
            raise UserError(f"{place}: {reason}") from None


def _upload(student: Student) -> str:
    """Return the platform's name for a student's last upload, an archive if there is one."""
    ranks = [(place.path.suffix == ".zip", place.label.order) for place in student.places]
    return student.places[ranks.index(max(ranks))].path.name
