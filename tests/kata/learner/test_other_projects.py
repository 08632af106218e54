"""What the plugin is to pytest runs that have nothing to do with the kata: nothing."""

import re
from pathlib import Path

import pytest

from tests.helpers.learner_folder import FOLDER, Learner, Run

OFF = "-p", "no:kata.plugin"
PASSING = "def test_one():\n    assert True\n"
FILES = {  # of another project, whatever they look like
    "test_theirs.py": PASSING,
    "test_ex01_softmax.py": PASSING,
    "exporter.py": "raise SystemExit\n",
    "exercises/test_more.py": PASSING,
    "exercises/curriculum.toml": "[[[\n",
    "graded/test_exams.py": PASSING,
}
ALIKE = {  # named like exercises, by people who have another course
    "ex1_test.py": PASSING,
    "ex01_solution.py": "def softmax(\n",
    "ex99_softmax.py": "raise SystemExit\n",
    "graded/test_ex01_sums.py": PASSING,
}


@pytest.fixture
def project(learner: Learner) -> Learner:
    """A folder with tests and no exercise."""
    write_project(learner.folder)
    return learner


def write_project(folder: Path) -> None:
    for name, text in FILES.items():
        _write(folder / name, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


def timeless(run: Run) -> tuple[int, str]:
    """All that is said, but for the time it took and the list of plugins."""
    return run.status, re.sub(r"in [\d.]+s|=|^plugins: .*", "", run.out, flags=re.MULTILINE)


def test_another_projects_tests_run_as_they_do_without_the_plugin(project: Learner) -> None:
    run = project.run()

    assert run.count("passed") == 4
    assert timeless(run) == timeless(project.run(FOLDER, *OFF))
    assert not (project.home / ".kata").exists()


def test_files_named_almost_like_exercises_are_left_alone(project: Learner) -> None:
    for name, text in ALIKE.items():
        _write(project.folder / name, text)

    run = project.run(FOLDER, "-o", "python_files=*test*.py")

    assert run.count("passed") == 6
    assert timeless(run) == timeless(project.run(FOLDER, "-o", "python_files=*test*.py", *OFF))


def test_an_empty_run_is_told_nothing(learner: Learner) -> None:
    assert timeless(learner.run()) == timeless(learner.run(FOLDER, *OFF))


def test_a_slip_in_the_name_of_an_exercise_is_told_in_any_folder(learner: Learner) -> None:
    """Beside exercises a name need not be so close."""
    learner.below("slip").write("ex01_sofmax", "")
    learner.below("capitals").write("EX01_Softmax", "")
    learner.below("beside").take("ex02")
    learner.below("beside").write("ex01_solution", "")

    failures = learner.run().failures

    for name in ("ex01_sofmax", "EX01_Softmax", "ex01_solution"):
        assert f"{name}.py is not the name of an exercise" in failures


@pytest.mark.parametrize("off", ["no:kata", "no:kata.plugin"])
@pytest.mark.parametrize("other", [(), ("-p", "kata.plugin")])
def test_the_plugin_can_be_turned_off(learner: Learner, off: str, other: tuple[str, ...]) -> None:
    learner.solve("ex01")

    run = learner.run(FOLDER, *other, "-p", off)

    assert run.status == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "attention kata" not in run.out
