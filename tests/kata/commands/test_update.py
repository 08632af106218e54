"""What `kata update` removes, what it never touches, and what it says.

The two katas are small ones; tests/system/test_started.py updates a whole one.
"""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kata.commands import update as command
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from tests.helpers.learner_folder import run_python
from tests.kata.commands.test_commands import one_line

EX17, EX18 = "ex17_builtin_attention", "ex18_training_run"
MODULE, NEW_MODULE = Path("kata", "upkeep", "mutants.py"), Path("kata", "upkeep", "mutations.py")
SUITE = Path("tests", "graded", "test_ex01_softmax.py")
NEW_SUITE = SUITE.with_name("test_ex01_soft_max.py")
BUGS = Path("bugs", "ex01_softmax.toml")
HINTS = Path(
    "exercises", "hints_of_before.toml"
)  # a table of exercises that was merged into another
ROOM = Path("kata", "room_of_before")
WHOLE = ("exercises", "proofs")
SINGLE = (MODULE, SUITE, BUGS, BUGS.with_name("ex02_attention_scores.toml"), Path("README.md"))
OWN = (  # a learner's, beside the kata's files and among them
    *("notes.md", "mine.py", "exercises/ex01_softmax.1.bak", "exercises/experiment.py"),
    *("kata/notes.txt", "tests/graded/notes.md", "mine/bugs/ex01.toml", "docs/notes.txt"),
)
OWN_CODE = ("tests/graded/test_mine.py", "kata/learner/mine.py", "bugs/mine.toml")
Update = Callable[[], str]


def small_kata(home: Path) -> Path:
    """Some of each kind of what is in a kata."""
    for name in WHOLE:
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in SINGLE:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, home / path)
    return home


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The kata that a learner works in, with things that the newer one does without."""
    home = small_kata(tmp_path / "mine")
    monkeypatch.setattr(command, "ROOT", home)
    monkeypatch.setattr(command, "CODE", home)
    monkeypatch.setattr(command, "EXERCISES", home / "exercises")
    monkeypatch.setattr(command, "SHIPPED", home / ".kata" / "shipped.txt")
    (home / ROOM).mkdir()
    for path in (HINTS, ROOM / "__init__.py", ROOM / "module.py", ROOM / "table.toml"):
        (home / path).write_text("")
    (home / ROOM / "__pycache__").mkdir()
    (home / ROOM / "__pycache__" / "module.cpython-311.pyc").touch()
    return home


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """One in which a module and a suite have other names, and some files are gone."""
    home = small_kata(tmp_path / "newer")
    (home / MODULE).rename(home / NEW_MODULE)
    (home / SUITE).rename(home / NEW_SUITE)
    (home / BUGS).unlink()
    return home


@pytest.fixture
def update(mine: Path, newer: Path) -> Update:
    def run() -> str:
        done = run_python("kata", ["update", str(newer)], mine)
        assert (done.status, done.err) == (0, "")
        return done.out

    return run


def git(home: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=home,
                   check=True, capture_output=True)  # fmt: skip


def commit(home: Path) -> None:
    git(home, "init", "--quiet")
    git(home, "add", "--all")
    git(home, "commit", "--quiet", "--message", "as it came")


def write(home: Path, *names: str) -> None:
    for name in names:
        (home / name).parent.mkdir(exist_ok=True, parents=True)
        (home / name).write_text(f"# mine: {name}\n")


def untouched(home: Path, *names: str) -> bool:
    return all((home / name).read_text() == f"# mine: {name}\n" for name in names)


def shipped(home: Path) -> set[Path]:
    """All that is in a kata, but what Python leaves there and what is known between updates."""
    found = {each.relative_to(home) for each in home.rglob("*")}
    return {each for each in found if not {"__pycache__", ".kata", ".git"} & set(each.parts)}


def test_what_is_gone_is_removed_and_kept_aside(mine: Path, newer: Path, update: Update) -> None:
    gone = [MODULE, SUITE, BUGS, HINTS, ROOM / "module.py", ROOM / "table.toml"]
    before = {path: (mine / path).read_bytes() for path in gone}

    out = update()

    assert shipped(mine) == shipped(newer)  # nor is there a folder with nothing but __pycache__
    assert not (mine / ROOM).exists()
    backup = mine / ".kata" / "before-update.1"
    assert {path: (backup / path).read_bytes() for path in gone} == before
    assert "2 files are new or changed" in out
    assert "7 files were removed: the kata no longer has them" in out
    assert f"the old files are kept in {backup}" in out


def test_a_second_update_changes_nothing(mine: Path, update: Update) -> None:
    update()
    before = {each: each.stat().st_mtime_ns for each in mine.rglob("*.toml")}

    assert update() == "everything is up to date\n"
    assert {each: each.stat().st_mtime_ns for each in mine.rglob("*.toml")} == before
    assert not (mine / ".kata" / "before-update.2").exists()


def test_one_file_is_one(newer: Path, update: Update) -> None:
    update()
    (newer / "README.md").write_text("newer\n")
    (newer / NEW_MODULE).unlink()

    out = update()

    assert "1 file is new or changed\n1 file was removed: the kata no longer has it\n" in out


def test_what_is_only_new_replaces_nothing(newer: Path, update: Update) -> None:
    update()
    (newer / "kata" / "newest.py").touch()

    assert update() == "1 file is new or changed\n"


@pytest.mark.parametrize("with_git", [False, True])
def test_a_learners_own_files_stay(mine: Path, update: Update, with_git: bool) -> None:
    if with_git:
        commit(mine)
    write(mine, *OWN)

    update()

    assert untouched(mine, *OWN)
    assert not (mine / MODULE).exists()


def test_notebooks_are_worked_in(mine: Path, newer: Path, update: Update) -> None:
    for home, text in ((mine, "worked on"), (newer, "newer")):
        (home / "notebooks").mkdir(exist_ok=True)
        (home / "notebooks" / "ex01_softmax.ipynb").write_text(text)
    code = Path("kata", "handouts", "notebooks", "jupyter.py")
    (newer / code).parent.mkdir(parents=True)
    (newer / code).write_text("NEWER = True")
    update()

    assert (mine / "notebooks" / "ex01_softmax.ipynb").read_text() == "worked on"
    assert (mine / code).read_text() == "NEWER = True"


def test_what_git_does_not_track_is_a_learners_own(mine: Path, update: Update) -> None:
    """Even code in a folder of the kata."""
    commit(mine)
    write(mine, *OWN_CODE)

    update()

    assert untouched(mine, *OWN_CODE)
    assert not (mine / SUITE).exists()


def test_after_the_first_update_own_code_is_known_without_git(
    mine: Path, newer: Path, update: Update
) -> None:
    update()
    write(mine, *OWN_CODE, *OWN)
    (newer / NEW_SUITE).rename(newer / SUITE)
    (newer / "README.md").unlink()

    update()

    assert untouched(mine, *OWN_CODE, *OWN)
    assert not (mine / NEW_SUITE).exists()
    assert not (mine / "README.md").exists()


def test_code_that_nothing_tells_from_the_katas_is_kept_aside(mine: Path, update: Update) -> None:
    write(mine, *OWN_CODE)

    assert "10 files were removed" in update()
    assert untouched(mine / ".kata" / "before-update.1", *OWN_CODE)


def retire_the_last_two(newer: Path) -> None:
    path = newer / "exercises" / "curriculum.toml"
    path.write_text(re.split(rf"^\[?{EX17}\b", path.read_text(), flags=re.MULTILINE)[0])
    for slug in (EX17, EX18):
        (newer / "exercises" / f"{slug}.py").unlink()


def test_an_exercise_that_is_gone_stays_if_it_was_worked_on(
    mine: Path, newer: Path, update: Update
) -> None:
    retire_the_last_two(newer)
    stub, worked = (mine / "exercises" / f"{slug}.py" for slug in (EX17, EX18))
    question = stub.read_text()
    shutil.copy(exercises()[EX18].solution, worked)

    out = update()

    assert f"  {EX17}: its stub was removed: the kata no longer has this exercise\n" in out
    assert f"  {EX18}: yours is kept, but the kata no longer has this exercise\n" in out
    assert not stub.exists()
    kept = mine / ".kata" / "before-update.1" / "exercises" / stub.name
    assert kept.read_text() == question
    assert worked.read_bytes() == exercises()[EX18].solution.read_bytes()


def test_what_cannot_be_written_is_one_line(mine: Path, newer: Path) -> None:
    (mine / ".kata").write_text("in the way")

    one_line(run_python("kata", ["update", str(newer)], mine), "cannot write")


def test_a_list_of_what_was_shipped_leads_nowhere_else(mine: Path, update: Update) -> None:
    outside = mine.parent / "outside.txt"
    outside.write_text("mine")
    (mine / ".kata").mkdir(exist_ok=True)
    (mine / ".kata" / "shipped.txt").write_text(f"../outside.txt\n{outside}\n")

    update()

    assert outside.read_text() == "mine"


def test_what_was_written_is_never_touched(mine: Path, newer: Path, update: Update) -> None:
    ex01 = exercises()["ex01_softmax"]
    own = wrong_answer(ex01, bugs(ex01)[0])
    (mine / "exercises" / ex01.filename).write_text(own)
    for name in ("ex01_softmax", "ex02_attention_scores"):
        path = newer / "exercises" / f"{name}.py"
        path.write_text(path.read_text().replace('"""Exercise', '"""The newer exercise'))
    (newer / "README.md").write_text("a newer text\n")

    update()

    assert (mine / "exercises" / ex01.filename).read_text() == own
    assert "newer" in (mine / "exercises" / "ex01_softmax.new.txt").read_text()
    assert "newer" in (mine / "exercises" / "ex02_attention_scores.py").read_text()
    assert (mine / "README.md").read_text() == "a newer text\n"
    kept = mine / ".kata" / "before-update.1" / "README.md"
    assert kept.read_bytes() == (ROOT / "README.md").read_bytes()


def test_a_proof_that_was_begun_stays(mine: Path, newer: Path, update: Update) -> None:
    write(mine, "proofs/ex05_causal_masks.py")
    for path in (newer / "proofs").glob("*.py"):
        path.write_text(path.read_text() + "# newer\n")

    out = update()

    assert untouched(mine, "proofs/ex05_causal_masks.py")
    assert (mine / "proofs" / "ex01_softmax.py").read_text().endswith("# newer\n")
    assert "ex01_softmax: new stub of its proof" in out
    assert "ex05_causal_masks" not in out


def test_a_source_that_is_none_is_one_line(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    sources = {
        (str(tmp_path / "empty"),): "is not an attention kata",
        ("file:///nowhere/at/all",): "cannot be fetched",
        (): "no source is known",
    }
    for words, text in sources.items():
        one_line(run_python("kata", ["update", *words], mine), text)
