"""A run judges what has changed, and nothing else."""

import copy
import csv
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kata.class_verdict import SubmissionVerdict
from kata.course.curriculum import exercises
from kata.errors import UserError
from kata.grading import journal
from kata.grading.collecting.submissions import Submission
from kata.grading.journal import JOURNAL
from kata.grading.options import Options
from kata.grading.pool import JudgePool
from kata.grading.progress import Progress
from kata.grading.reports.formats import SAME_MARKS
from kata.grading.reports.terminal import Report
from kata.grading.run import Run, Twins, grade
from kata.verdict import ClaimVerdict, ExerciseVerdict, State
from tests.helpers.grader import here

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")

EX01, EX02, EX03 = (list(exercises())[at] for at in range(3))
SLUGS = (EX01, EX02)
RIGHT = {slug: exercises()[slug].solution.read_text() for slug in (EX01, EX02, EX03)}
WRONG = "def softmax(scores, axis=-1):\n    return scores\n"
TABLES = ("grades.csv", "results.json")
Judged = list[tuple[str, list[str]]]


def options(slugs: tuple[str, ...] = SLUGS, **points: float) -> Options:
    worth = {slug: points.get(slug, 1.0) for slug in slugs}
    return Options(slugs, worth, seed=7, diagnosis=False)


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    with here():
        yield


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Judged:
    """Who was sent to a judge in the last run, and for which exercises."""
    found: Judged = []
    real = JudgePool.judge

    def judge(self: JudgePool, submission: Submission) -> object:
        found.append(
            (submission.student, sorted(submission.files.keys() - submission.settled.keys()))
        )
        return real(self, submission)

    monkeypatch.setattr(JudgePool, "judge", judge)
    return found


@pytest.fixture
def school(tmp_path: Path, judged: Judged) -> Callable[..., Report]:
    """Grades a class of two, after this was handed in."""

    def run(chosen: Options | None = None, again: tuple[str, ...] = (), **files: str) -> Report:
        for student, text in files.items():
            name, _, slug = student.partition("_")
            folder = tmp_path / "class" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{slug or EX01}.py").write_text(text)
        judged.clear()
        return grade(
            Run(tmp_path / "class", tmp_path / "grades", chosen or options(), 1, again=again)
        )

    return run


def scores(report: Report) -> list[float]:
    return [student.score for student in report.counts.students]


def test_other_points_start_no_judge(
    school: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    school(ann=RIGHT[EX01], ben=RIGHT[EX01] + "# mine")
    monkeypatch.setattr(JudgePool, "__init__", lambda *_: pytest.fail("a judge was started"))

    again = school(options(**{EX01: 4.0}))

    assert scores(again) == [4, 4]
    assert again.now == 0
    assert [each.most for each in again.counts.students] == [5, 5]
    assert again.changed == ("the marks are out of 5 now, and were out of 2 in the last run",
                             "since the last run 2 marks rose: ann 1 → 4, ben 1 → 4")  # fmt: skip
    with (tmp_path / "grades" / "grades.csv").open(encoding="utf-8-sig") as file:
        assert next(csv.DictReader(file))[EX01] == "4"


def test_points_are_as_if_they_had_been_chosen_at_once(
    school: Callable[..., Report], tmp_path: Path
) -> None:
    def tables() -> list[bytes]:
        school(options(**{EX01: 2.7}))
        return [(tmp_path / "grades" / name).read_bytes() for name in TABLES]

    school(ann=RIGHT[EX01], ben=WRONG, ann_ex02_attention_scores=RIGHT[EX02])
    later = tables()
    (tmp_path / "grades" / JOURNAL).unlink()

    assert later == tables()


def test_one_more_exercise_is_judged_alone_and_one_less_costs_nothing(
    school: Callable[..., Report], judged: Judged
) -> None:
    school(options((EX01,)), ann=RIGHT[EX01], ann_ex02_attention_scores=RIGHT[EX02])

    assert scores(school()) == [2]
    assert judged == [("ann", [EX02])]
    assert scores(school(options((EX01,)))) == [1]
    assert judged == []
    # What stood on an exercise that is not chosen is judged on the reference.
    school(ann=WRONG)
    assert scores(school(options((EX02,)))) == [1]
    assert len(judged) == 1


def test_a_changed_file_is_judged_again_and_what_stands_on_it(
    school: Callable[..., Report], judged: Judged
) -> None:
    three, third = (EX01, EX02, EX03), {f"ann_{EX03}": RIGHT[EX03]}
    school(options(three), ann=WRONG, ann_ex02_attention_scores=RIGHT[EX02], **third)

    found = school(options(three), ann=RIGHT[EX01])

    assert judged == [("ann", [EX01, EX02])]  # which imports it; the third does not
    assert scores(found) == [3]
    (line,) = found.changed
    assert line.startswith("since the last run 1 mark rose: ann ")


def test_what_another_handed_in_is_not_judged_twice(
    school: Callable[..., Report], judged: Judged
) -> None:
    school(ann=RIGHT[EX01], ann_ex02_attention_scores=RIGHT[EX02])

    found = school(ben=RIGHT[EX01])

    assert judged in ([], [("ben", [])])
    assert scores(found) == [2, 1]


def test_a_changed_suite_is_told(
    school: Callable[..., Report], judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    school(ann=RIGHT[EX01], ann_ex02_attention_scores=RIGHT[EX02])
    real = journal.way
    monkeypatch.setattr(
        journal, "way", lambda each, ground: real(each, ground) + "!" * (each.slug == EX02)
    )

    found = school()

    assert judged == [("ann", [EX02])]
    assert (found.renewed, school().renewed) == ((EX02,), ())
    assert found.changed == (SAME_MARKS,)


@pytest.mark.parametrize("name", ["Tom Baker", "tom baker", "Baker, Tom", "Tóm Baker"])
def test_a_name_is_judged_again_however_it_is_written(
    school: Callable[..., Report], judged: Judged, name: str
) -> None:
    school(**{"Tom Baker": RIGHT[EX01], "ben": WRONG})

    assert school(again=(name,)).changed == (SAME_MARKS,)
    assert judged == [("Tom Baker", [EX01])]
    with pytest.raises(UserError, match=r"nobody in the table is called bem; did you mean `ben`\?"):
        school(again=("bem",))


def test_one_students_folder_never_replaces_the_tables_of_a_class(
    school: Callable[..., Report], tmp_path: Path
) -> None:
    school(ann=RIGHT[EX01], ben=WRONG)
    table = (tmp_path / "grades" / "grades.csv").read_bytes()
    seed = json.loads((tmp_path / "grades" / "about.json").read_bytes())["seed"]

    found = grade(Run(tmp_path / "class" / "ben", tmp_path / "grades", options(), 1))

    apart = tmp_path / "grades" / "single" / "ben"
    assert (tmp_path / "grades" / "grades.csv").read_bytes() == table
    assert [each.student for each in found.counts.students] == ["ben"]
    assert found.notices == (
        f"{tmp_path / 'grades'} has the grades of a class, which stay as they are: those of this "
        f"student are in {apart}",
    )
    assert json.loads((apart / "about.json").read_bytes())["seed"] == seed
    assert (apart / "grades.csv").exists()


SLOW = "import time\n\n\ndef softmax(scores, axis=-1):\n    time.sleep(60)\n"


def test_whose_time_was_up_is_judged_again_and_takes_nobody_elses_mark(
    school: Callable[..., Report], judged: Judged
) -> None:
    hurried = replace(options(), timeout=0.3)
    slow = f"from .{EX01} import softmax\n\nsoftmax(1)\n" + RIGHT[EX02]
    school(hurried, ann=SLOW, ann_ex02_attention_scores=slow)

    school(hurried)
    assert judged == []  # nothing has changed
    school(hurried, ann=RIGHT[EX01])

    assert judged == [("ann", [EX01, EX02])]


def test_a_line_that_is_not_whole_or_of_another_user_is_no_verdict(
    school: Callable[..., Report], judged: Judged, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    school(ann=RIGHT[EX01])
    path = tmp_path / "grades" / JOURNAL
    entry = json.loads(path.read_bytes())
    changed: list[Callable[[dict[str, Any]], object]] = [
        lambda each: each["verdict"]["exercises"].pop(),
        lambda each: each["verdict"]["exercises"][0].update(claims=[]),
        lambda each: each.update(keys=[]),
        lambda each: each.pop("seconds"),
        lambda each: each["verdict"].update(proofs=[1]),
    ]
    for change in changed:
        broken = copy.deepcopy(entry)
        del broken["sum"]
        change(broken)
        path.write_bytes(journal.signed(json.dumps(broken).encode(), journal.own_seal()))

        assert scores(school()) == [1]
        assert judged == [("ann", [EX01])]

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))  # of another user
    again = school()
    assert judged == [("ann", [EX01])]
    assert "not written by you on this machine" in " ".join(again.warnings())


@pytest.fixture
def alice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a student's work lies, and where one stands: `cd alice && kata grade .`."""
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / f"{EX01}.py").write_text(RIGHT[EX01])
    monkeypatch.chdir(tmp_path / "alice")
    return tmp_path / "alice"


@pytest.mark.usefixtures("alice")
def test_nothing_is_resumed_from_inside_what_is_graded(judged: Judged) -> None:
    """A student may hand in a folder of grades, which would be believed."""
    run = Run(Path(), Path("grades"), replace(options(), seed=0), 1)
    grade(run)
    judged.clear()
    about = Path("grades/about.json")
    seed = json.loads(about.read_text())["seed"]

    again = grade(run)

    assert again.now == 1
    assert [slugs for _, slugs in judged] == [[EX01]]
    assert json.loads(about.read_text())["seed"] != seed
    assert "inside of what is graded" in again.notices[0]


def test_grades_are_not_written_through_a_link_that_was_handed_in(
    alice: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (alice / "grades").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(UserError, match="is a link, and lies inside"):
        grade(Run(Path(), Path("grades"), options(), 1))

    assert [*(tmp_path / "elsewhere").iterdir()] == []


def test_a_judge_that_is_lost_on_proofs_costs_no_exercise(tmp_path: Path) -> None:
    """Nor does a proof of an exercise that is not chosen count; and nothing is kept in memory."""
    submission = Submission("ann", {EX01: b"x"}, proofs={EX01: b"y", EX02: b"z"})
    chosen = options((EX01,))
    noted = journal.Journal(tmp_path, chosen)
    progress = Progress(1, judges=1)
    twins = Twins(noted, chosen.slugs, progress)
    exercises_alone, proofs_alone = twins.parts(iter([submission]))
    passed = ExerciseVerdict(EX01, (ClaimVerdict("test_it", State.PASSED),))

    twins.note(exercises_alone, SubmissionVerdict("ann", (passed,)))
    first = progress.done
    twins.note(proofs_alone, SubmissionVerdict("ann", problem="the judge crashed"))

    (found,) = noted.verdicts(["ann"])
    noted.close()
    assert (exercises_alone.proofs, proofs_alone.files) == ({}, {})
    assert (first, progress.done) == (0, 1)
    assert (found.problem, found.exercises[0].state) == ("", State.PASSED)
    assert [(each.slug, each.problem) for each in found.proofs] == [(EX01, "the judge crashed")]
    assert (twins._whole, twins._verdicts, twins._waiting) == ({}, {}, {})
