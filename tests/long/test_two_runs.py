"""What one run of the grader has written, or a part of it, and what a second one makes of it."""

import shutil
import signal
from pathlib import Path

from tests.helpers.classroom import Pupil, classroom, pack
from tests.system.test_grader_class import (
    NAMELESS,
    SEED,
    SIZE,
    Grades,
    School,
    run,
    school,  # noqa: F401  # a fixture
    start,
    undisturbed,  # noqa: F401  # a fixture
    wait_for,
)

INTERRUPTED = 130


def test_two_runs_bring_the_same_also_with_diagnoses(tmp_path: Path) -> None:
    """One of them with two workers."""
    classroom(tmp_path / "class", 16, SEED, most=2, variety=4)

    first, second = (
        run(tmp_path / "class", tmp_path / str(workers), workers=workers) for workers in (1, 2)
    )

    assert first.results == second.results
    assert any(row["mistakes"] for row in first.rows.values())


def test_an_interrupted_run_goes_on(
    school: School,  # noqa: F811
    undisturbed: Grades,  # noqa: F811
    tmp_path: Path,
) -> None:
    grades = Grades(tmp_path)

    stop(school, grades, signal.SIGINT, INTERRUPTED)
    interrupted = grades.graded
    assert [*grades.rows] == sorted(interrupted)
    stop(school, grades, signal.SIGKILL, -signal.SIGKILL)
    killed = grades.graded
    run(school.folder, tmp_path, NAMELESS)

    assert killed[: len(interrupted)] == interrupted
    assert grades.graded[: len(killed)] == killed
    assert sorted(grades.graded) == sorted(each.name for each in school.everybody)
    assert grades.honest(school) == undisturbed.honest(school)
    assert grades.marks == undisturbed.marks


def test_what_has_changed_is_graded_again(
    school: School,  # noqa: F811
    undisturbed: Grades,  # noqa: F811
    tmp_path: Path,
) -> None:
    shutil.copytree(school.folder, tmp_path / "class")
    shutil.copytree(undisturbed.folder, tmp_path / "grades")
    pupil, slug = school.pupils[0], next(iter(school.pupils[0].files))
    pack(tmp_path / "class", Pupil(pupil.name, {slug: b"# nothing any more\n"}), 0)

    again = run(tmp_path / "class", tmp_path / "grades", NAMELESS)

    assert again.graded == [*undisturbed.graded, pupil.name]
    assert float(again.rows[pupil.name][slug]) == 0
    assert {**again.marks, pupil.name: []} == {**undisturbed.marks, pupil.name: []}


def stop(theirs: School, grades: Grades, how: signal.Signals, status: int) -> None:
    """Grade some more, and end it."""
    before = len(grades.graded)
    process = start(theirs.folder, grades.folder, NAMELESS)
    wait_for(process, grades, before + SIZE // 5)
    process.send_signal(how)
    process.communicate()
    assert process.returncode == status
