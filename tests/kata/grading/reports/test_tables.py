"""How files of a run are replaced, whatever lies in their folder."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from kata.grading.reports.tables import replacing


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
@pytest.mark.parametrize("there", [True, False])
def test_a_draft_follows_no_link(tmp_path: Path, there: bool) -> None:
    victim = tmp_path / "victim"
    folder = tmp_path / "grades"
    folder.mkdir()
    if there:
        victim.write_text("mine")
    (folder / ".grades.csv.part").symlink_to(victim)

    with replacing(folder / "grades.csv") as file:
        file.write("student\n")

    assert (folder / "grades.csv").read_text() == "student\n"
    assert [each.name for each in folder.iterdir()] == ["grades.csv"]
    assert victim.exists() is there
    assert not there or victim.read_text() == "mine"


def test_what_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text("before")

    with suppress(ZeroDivisionError), replacing(tmp_path / "grades.csv") as file:
        file.write(f"half{1 // 0}")

    assert [each.name for each in tmp_path.iterdir()] == ["grades.csv"]
    assert (tmp_path / "grades.csv").read_text() == "before"
