"""What runs import, each in a Python that has imported nothing but pytest."""

import pytest

from kata.course.curriculum import ROOT, exercises
from tests.helpers.answers import RIGHT
from tests.helpers.fresh_python import Fresh, runs
from tests.helpers.learner_folder import FOLDER, Learner
from tests.kata.learner.test_other_projects import write_project


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fresh]:
    """Runs over another project, a fresh clone, a list of claims, and one right answer."""
    home = tmp_path_factory.mktemp("fresh")
    write_project(Learner(home / "others").folder)
    listed, begun = Learner(home / "listed"), Learner(home / "begun")
    listed.take("ex05")
    listed.solve("ex01", "ex04")
    begun.take(*(each.short for each in exercises().values()))
    begun.softmax(RIGHT)
    orders = {
        "others": (home / "others", [FOLDER]),
        "clone": (ROOT, ["exercises", "-p", "no:cacheprovider"]),
        "listed": (listed.home, [FOLDER, "--collect-only", "-q"]),
        "begun": (begun.home, [FOLDER]),
    }
    return dict(zip(orders, runs(*orders.values()), strict=True))


def test_nothing_of_the_kata_is_imported_for_other_projects(fresh: dict[str, Fresh]) -> None:
    run = fresh["others"]

    assert "4 passed" in run.out
    ours = {name for name in run.imported if name.partition(".")[0] == "kata"}
    assert ours <= {"kata", "kata.plugin"}
    assert "pytest" in run.imported


def test_a_fresh_clone_ends_with_the_board_and_the_next_step(fresh: dict[str, Fresh]) -> None:
    run = fresh["clone"]
    board = run.out[run.out.rfind("attention kata") :]

    assert run.status == 1
    assert "· ex01_softmax" in board
    assert board.count("not started") == len(exercises()) + 1  # the last line counts them
    assert "next: ex01_softmax  exercises/ex01_softmax.py" in board
    assert "FAILURES" not in run.out
    assert "kata.learner.run_record" in run.imported
    assert not run.imported & {"torch", "numpy"}
    assert [name for name in run.imported if name.startswith("kata.pictures.")] == []


def test_listing_claims_imports_neither_torch_nor_numpy(fresh: dict[str, Fresh]) -> None:
    run = fresh["listed"]

    assert "kata.course.suite_code" in run.imported
    assert not run.imported & {"torch", "numpy"}
    assert f"{FOLDER}/ex04_scaled_attention.py::test_float32_stays_float32" in run.out


def test_a_numpy_exercise_imports_neither_torch_nor_what_talks_to_a_room(
    fresh: dict[str, Fresh],
) -> None:
    run = fresh["begun"]

    assert "✓ ex01_softmax" in run.out
    assert "numpy" in run.imported
    assert "torch" not in run.imported
    assert [name for name in run.imported if "attending" in name] == []
