"""What an instructor reads at the end of a run: the table, and what has become of marks."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.alike import Alike, Likeness
from kata.grading.reports.formats import Marks, changes, earlier_marks
from kata.grading.reports.gradebooks import grade
from kata.grading.reports.terminal import ALIKE_HEADING, SHOWN_FIRST, Report, table
from kata.marks import Mark
from kata.terminal.board import standing
from kata.terminal.style import Style
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State
from tests.helpers.page_reader import counted

EX01, EX02 = "ex01_softmax", "ex02_attention_scores"
LIKE = "100 % the same steps as somebody"


def graded(name: str, score: float = 1.0, **more: tuple[str, ...]) -> SubmissionVerdict:
    claims = (ClaimVerdict("test_it", State.PASSED),)
    exercise = ExerciseVerdict(EX01, claims, **more)  # type: ignore[arg-type]  # texts
    return SubmissionVerdict(name, (exercise,), (Mark(score, 1.0),))


def report(people: Iterable[SubmissionVerdict], *slugs: str, alike: Alike | None = None) -> Report:
    everybody = [*people]
    verdicts = ClassVerdict(lambda: iter(everybody), dict.fromkeys(slugs or (EX01,), 1.0))
    count = sum(verdict.graded for verdict in everybody)
    return Report(verdicts, counted(verdicts), count, alike=alike or {}, grades=Path("g"))


def test_a_large_class_begins_with_who_needs_a_person() -> None:
    """No mark, tampering, flags, notes, and few points, whatever people are called."""

    def people() -> Iterator[SubmissionVerdict]:
        yield from (graded(f"s{number:02}", number / 100) for number in range(60))
        yield graded("s90", flags=("like another",))
        yield graded("s91", tampering=("os.fork()",))
        yield SubmissionVerdict("s92", problem="the archive is encrypted")
        yield SubmissionVerdict("s93", notes=("handed in late",))

    lines = [*table(report(people()), Style())]

    names = [line.split()[0] for line in lines if re.match(r"s\d", line)]
    assert names == ["s92", "s91", "s90", "s93", *(f"s{number:02}" for number in range(36))]
    assert f"and 24 more, {SHOWN_FIRST}" in lines
    assert lines[-3:] == ["64 handed in, 63 graded", "1 could not be graded",
                          "the grades are in g/grades.csv"]  # fmt: skip


def test_of_a_large_class_it_is_told_once_who_is_like_whom() -> None:
    both = Likeness(("ada", "ella"), 0.987, LIKE)
    three = Likeness(("ada", "bob", "cem", "dora", "ella"), 1.0, LIKE)
    alike: Alike = {
        **{(name, slug): both for name in both.students
           for slug in (EX01, "ex09_multi_head_attention")},
        **{(name, "ex05_causal_masks"): three for name in three.students},
    }  # fmt: skip
    names = [*three.students, *(f"s{number:04}" for number in range(50))]
    people = [graded(name, flags=(LIKE,) if name in three.students else ()) for name in names]

    few = [*table(report(people[:40], alike=alike), Style())]
    many = [*table(report(people, alike=alike), Style(width=200))]

    assert sum(LIKE in line for line in few) == 5
    assert not any(LIKE in line for line in many)
    assert many[1].startswith("ada ")  # a flag is a reason to stand above
    assert many[many.index(ALIKE_HEADING) + 1 :][:2] == [
        "    ada and ella: ex01, ex09; up to 98 % the same steps",
        "    ada, bob, cem and 2 more: ex05; up to 100 % the same steps",
    ]


@pytest.mark.parametrize(("students", "is_told"), [(4, False), (5, True)])
def test_what_nobody_of_a_class_has_begun_is_told(students: int, is_told: bool) -> None:
    work = tuple(ExerciseVerdict(slug, (ClaimVerdict("test_it", state),))
                 for slug, state in ((EX01, State.FAILED), (EX02, State.NOT_STARTED)))  # fmt: skip
    verdict = SubmissionVerdict("ann", work, (Mark(0, 1), Mark(0, 1)))

    warnings = [*report([verdict] * students, EX01, EX02).warnings()]

    assert any("no student has started ex02, but" in line for line in warnings) == is_told
    assert len(warnings) == is_told


def test_a_file_that_is_not_read_is_told_and_is_no_exercise_that_was_not_handed_in() -> None:
    reason = f"not read: {EX01}.py: not UTF-8 text; save it as UTF-8 (line 126)"
    claim = ClaimVerdict("not_read", State.NOT_GRADABLE, Message(reason))
    exercise = ExerciseVerdict(EX01, (claim,))
    verdict = SubmissionVerdict("ada", (exercise,), (Mark(0, 3),), notes=(reason,))

    lines = [*table(report([verdict], EX01), Style())]

    assert lines[1].endswith("?")
    assert lines[2].strip() == reason
    assert reason in grade(verdict).feedback
    assert standing(exercise) == "not read"


def test_what_changed_names_whom_it_changed_most_and_no_more_than_six() -> None:
    before = {f"s{at}": 1.0 for at in range(9)}
    now = {**{name: 1.0 + at for at, name in enumerate(before)}, "new": 3.0}

    (line,) = changes(Marks(before), Marks(now), 9)

    assert line.startswith("since the last run 8 marks rose: s8 1 → 9, s7 1 → 8")
    assert line.endswith("and 2 more")
    assert [*changes(Marks({"a": 1.0}), Marks({"a": 1.0}), 0)] == []
    assert [*changes(Marks({}), Marks({"a": 1.0}), 1)] == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"student,score\nann,x\n", b"a,b\n1,2\n"])
def test_a_table_that_cannot_be_read_is_no_earlier_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "grades.csv").write_bytes(content)

    assert earlier_marks(tmp_path) == Marks({})
