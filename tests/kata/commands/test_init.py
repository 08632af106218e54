"""`kata init` and, in a folder that it has made, `kata update`."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kata.course.contract import stub
from kata.course.curriculum import ROOT, exercises
from kata.learner import layout as renewal
from kata.learner.layout import NAME, LayoutRecord, Outcome, lay_out, layout, renew
from kata.proofs.proof import proof_stub
from tests.helpers.learner_folder import Run, run_python

EX01 = exercises()["ex01_softmax"]
OLD, NEW = b"the stub of before\n", b"the newer stub\n"
FIRST, SECOND = "exercises/ex01_softmax.py", "exercises/ex02_attention_scores.py"

COUNT = len(exercises())


def kata(home: Path, *words: str) -> Run:
    done = run_python("kata", list(words), home, PYTHONPATH=str(ROOT), COLUMNS="80")
    assert "Traceback" not in done.out + done.err
    return done


def contents(home: Path) -> dict[str, bytes]:
    files = (each for each in home.rglob("*") if each.is_file())
    return {each.relative_to(home).as_posix(): each.read_bytes() for each in files}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert kata(tmp_path, "init").status == 0
    return tmp_path


# -- init


def test_it_lays_out_everything(home: Path) -> None:
    assert {path for path in contents(home) if not path.startswith(".kata/")} == {*layout(home)}
    for each in exercises().values():
        assert (home / "exercises" / each.filename).read_text(encoding="utf-8") == stub(each)
        assert (home / "proofs" / each.filename).read_text(encoding="utf-8") == proof_stub(each)


def test_it_says_what_it_made_and_what_to_type(tmp_path: Path) -> None:
    done = kata(tmp_path, "init", "my course")

    assert done.out.splitlines() == [
        f"made: exercises/ex*.py ({COUNT}), proofs/ex*.py ({COUNT}), README.md, AGENTS.md, "
        "pytest.ini, .gitignore, .vscode/settings.json, exercises/conftest.py",
        "next: cd my course && pytest",
    ]


def test_bare_pytest_runs_the_exercises(home: Path) -> None:
    done = run_python("pytest", [], home)

    assert done.status == 1
    assert f"{COUNT} not started" in done.out
    assert f"next: ex01_softmax  {FIRST}:" in done.out


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    mine = {FIRST: b"my work\n", "README.md": b"my notes\n", ".gitignore": b"mine\n"}
    for path, content in mine.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)

    done = kata(tmp_path, "init")

    assert mine.items() <= contents(tmp_path).items()
    assert done.out.splitlines()[1] == (
        "already there, and left as it is: exercises/ex*.py (1), README.md, .gitignore"
    )


def test_run_again_it_changes_nothing(home: Path) -> None:
    before = contents(home)

    done = kata(home, "init")

    assert contents(home) == before
    assert done.out.startswith(
        f"already there, and left as it is: exercises/ex*.py ({COUNT}), proofs"
    )
    assert "made" not in done.out


def test_settings_of_another_project_stay_in_force(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-q'\n")

    done = kata(tmp_path, "init")

    assert not (tmp_path / "pytest.ini").exists()
    assert "pytest has settings of your own here" in done.out
    assert done.out.endswith("next: pytest exercises\n")


def test_what_cannot_be_done_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    itself, file = kata(ROOT, "init"), kata(tmp_path, "init", "file")

    told = f"{ROOT} is the kata itself: its exercises are in exercises; type `pytest`\n"
    assert (itself.status, itself.out, itself.err) == (2, "", told)
    assert (file.status, file.out, file.err) == (2, "", "cannot write file: File exists\n")


def test_commands_find_the_exercises_from_within(home: Path) -> None:
    done = kata(home / "exercises", "board")

    assert "next: ex01_softmax  ex01_softmax.py:" in done.out


def test_a_stub_run_as_a_program_says_what_to_type(home: Path) -> None:
    first, *others = sorted((home / "exercises").glob("ex*.py"))

    done = subprocess.run([sys.executable, str(first)], capture_output=True, text=True, check=False)
    told = {path: _end_of(path) for path in others}

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"This file is run by its tests: pytest {first}\n"
    assert told == {path: f"This file is run by its tests: pytest {path}" for path in others}


def _end_of(path: Path) -> object:
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(path), run_name="__main__")
    return ended.value.code


# -- update


@pytest.fixture
def laid_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that an older kata has made; the newer one has the second exercise, too."""
    monkeypatch.setattr(renewal, "layout", lambda _: {FIRST: OLD, "README.md": OLD})
    lay_out(tmp_path)
    monkeypatch.setattr(renewal, "layout", lambda _: {FIRST: NEW, SECOND: NEW, "README.md": OLD})
    return tmp_path


def renewed(home: Path) -> Outcome:
    return renew(home, home / ".kata" / "before-update.1")


def test_new_stubs_come_and_old_ones_are_replaced(laid_out: Path) -> None:
    done = renewed(laid_out)

    assert (done.made, done.renewed, done.there) == ([SECOND], [FIRST], ["README.md"])
    assert (laid_out / FIRST).read_bytes() == (laid_out / SECOND).read_bytes() == NEW


def test_work_is_kept_and_the_newer_stub_is_put_next_to_it(laid_out: Path) -> None:
    (laid_out / FIRST).write_bytes(b"work\n")

    done = renewed(laid_out)

    assert done.beside == [FIRST]
    assert (laid_out / FIRST).read_bytes() == b"work\n"
    assert (laid_out / f"{FIRST}.new.txt").read_bytes() == NEW


def test_a_stub_that_has_not_changed_is_not_put_next_to_work(laid_out: Path) -> None:
    (laid_out / FIRST).write_bytes(b"work\n")
    renewed(laid_out)
    (laid_out / f"{FIRST}.new.txt").unlink()

    done = renewed(laid_out)

    assert (done.there, done.beside) == ([FIRST, SECOND, "README.md"], [])
    assert not (laid_out / f"{FIRST}.new.txt").exists()


def test_what_the_kata_no_longer_has_is_moved_away(
    laid_out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewal, "layout", lambda _: {"README.md": OLD})

    assert renewed(laid_out).removed == [FIRST]
    assert (laid_out / ".kata/before-update.1" / FIRST).read_bytes() == OLD
    assert not (laid_out / FIRST).exists()


def test_work_on_what_the_kata_no_longer_has_stays(
    laid_out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (laid_out / FIRST).write_bytes(b"work\n")
    monkeypatch.setattr(renewal, "layout", lambda _: {"README.md": OLD})

    assert renewed(laid_out).kept == [FIRST]
    assert renewed(laid_out).kept == []  # it was said once
    assert (laid_out / FIRST).read_bytes() == b"work\n"


def test_files_that_were_there_before_are_none_of_its_business(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"mine\n")
    lay_out(tmp_path)

    assert "README.md" in renewed(tmp_path).there
    assert not (tmp_path / "README.md.new.txt").exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"form": 1}', '{"form": 2, "files": {}}'])
def test_without_the_list_every_file_counts_as_work(laid_out: Path, damage: str) -> None:
    (laid_out / NAME).write_text(damage)

    assert renewed(laid_out).beside == [FIRST]
    assert (laid_out / FIRST).read_bytes() == OLD
    assert not LayoutRecord(laid_out).is_untouched(FIRST)


def test_update_says_what_it_did(home: Path) -> None:
    (home / FIRST).unlink()

    assert kata(home, "update").out == f"{FIRST}: new\n"
    assert kata(home, "update").out == "everything is up to date\n"


def test_update_that_cannot_be_is_one_line(home: Path) -> None:
    shutil.rmtree(home / ".vscode")
    (home / ".vscode").touch()

    there, in_the_way = kata(home, "update", str(ROOT)), kata(home, "update")

    assert (there.status, there.out, in_the_way.status, in_the_way.out) == (2, "", 2, "")
    assert there.err == (
        "this kata was installed by pip or uv: update it there, then type `kata update` "
        "without a source\n"
    )
    assert in_the_way.err.startswith(f"cannot write {os.path.realpath(home)}/.vscode")
