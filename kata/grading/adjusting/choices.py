"""What an instructor may ask for about the marks, and what contradicts what."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.grading.adjusting.late_work.late import Deadline, LateRule, deadline, late_rule
from kata.grading.adjusting.scale import scale
from kata.grading.reports import formats
from kata.points import Scale
from kata.words import say

PLATFORMS = ("canvas", "moodle")
FOR_STUDENTS = ("gradescope", "classroom", "autolab", "exercism")  # with claims and evidence


@dataclass(frozen=True)
class Choices:
    """What was asked for; by default nothing."""

    roster: Path | None = None
    deadline: Deadline | None = None
    late: LateRule | None = None
    overrules: Path | None = None
    key: Path | None = None
    exam: bool = False
    scale: Scale | None = None

    @property
    def any(self) -> bool:
        """Whether the marks or the names in reports may be others than those of the work."""
        return bool(self.roster or self.deadline or self.overrules or self.key)

    @property
    def about(self) -> dict[str, Any]:
        """What the folder of the grades remembers."""
        return {"anonymous": True} if self.key else {}


NOTHING_ELSE = Choices()


def arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--roster", type=Path, metavar="CSV",
        help="who is in the class: name, id, login, email, section, team")  # fmt: skip
    add("--deadline", default="", metavar="TIME", help='"2026-03-01 23:59"')
    add("--late", default="", metavar="RULE",
        help='"10%% per day, grace 2 days, at most 50%%"')  # fmt: skip
    add("--scale", default="", metavar="SCALE",
        help='what a score is called: percent, or "A 90, B 80, C 65, F 0"')  # fmt: skip
    add("--overrules", type=Path, metavar="FILE", help="your own decisions about marks")
    add("--upload", action="append", default=[], choices=PLATFORMS, metavar="PLATFORM",
        help=f"feedback as a zip to upload: {', '.join(PLATFORMS)}")  # fmt: skip
    add("--anonymous", type=Path, metavar="KEYFILE",
        help="codes in the place of names; the key file says whose they are")  # fmt: skip
    add("--exam", action="store_true", help="no mistake, hint or evidence reaches a student")


def choices(chosen: Namespace) -> Choices:
    """What was asked for; a UserError says why it cannot be done."""
    _check_alone(chosen)
    end = deadline(chosen.deadline) if chosen.deadline else None
    rule = late_rule(chosen.late) if chosen.late else None
    called = scale(chosen.scale) if chosen.scale else None
    return Choices(
        chosen.roster, end, rule, chosen.overrules, chosen.anonymous, chosen.exam, called
    )


def reports(chosen: Namespace) -> tuple[str, ...]:
    """The reports that were asked for, uploads among them."""
    return (*chosen.report, *(f"upload-{each}" for each in chosen.upload))


def _check_alone(chosen: Namespace) -> None:
    """Options that contradict one another."""
    if chosen.late and not chosen.deadline:
        raise UserError(say("adjusting.late-alone"))
    if chosen.anonymous and (chosen.gradebook or chosen.upload):
        raise UserError(say("adjusting.anonymous-alone"))
    if chosen.anonymous and chosen.alike:
        raise UserError(say("adjusting.anonymous-alike"))
    if chosen.explain and chosen.upload:
        raise UserError(say("grading.explain-alone"))
    if chosen.exam:
        _check_exam(chosen)


def _check_exam(chosen: Namespace) -> None:
    for name in FOR_STUDENTS:
        if name in chosen.report:
            raise UserError(say("adjusting.exam-report", name=name))
        if formats.is_there(name, chosen.grades):
            raise UserError(say("adjusting.exam-there", path=chosen.grades / name))
