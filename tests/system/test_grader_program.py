"""The grader as a program: with judges in processes of their own, stopped, killed, in a pipe."""

import re
import shlex
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from kata.course.curriculum import ROOT
from tests.helpers.grader import GRADER, environment, grader, program
from tests.helpers.learner_folder import Run
from tests.helpers.processes import without_progress
from tests.kata.grading.test_grader import (
    CLASS,
    COMMAND,
    COMMANDS,
    GRADED,
    GUIDE,
    OPTIONS,
    RIGHT,
    TABLE,
    Crew,
    classroom,
    write,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the class is."""
    folder = tmp_path_factory.mktemp("course")
    classroom(folder / "class", pause=0.7)
    (folder / "points.toml").write_text("ex01 = 4\nex02_attention_scores = 0.5\nex18 = 9\n")
    return folder


@pytest.fixture(scope="module")
def graded(home: Path) -> Run:
    return program(home, *COMMAND)


def test_it_prints_the_table_that_it_prints_in_a_test(graded: Run) -> None:
    assert graded == Run(1, TABLE, "")


def test_what_was_graded_is_not_graded_again(home: Path, graded: Run) -> None:
    again = grader(home, *COMMAND)

    before = f"{GRADED} graded, {GRADED} of them in an earlier run"
    assert again.out == graded.out.replace(f"{GRADED} graded", before)


def test_help_tells_every_option(home: Path) -> None:
    run = program(home, "--help")

    assert run.status == 0
    assert all(option in run.out for option in OPTIONS)


def lines_of(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def stopped(home: Path, grades: Path, how: signal.Signals) -> tuple[int, str, int]:
    """Begin to grade, and end it after another submission: status, trouble, lines that stay."""
    journal = grades / "journal.jsonl"
    before = lines_of(journal)
    process = subprocess.Popen([*GRADER, *COMMAND, "--grades", str(grades), "--workers", "1"],
                               cwd=home, env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    while lines_of(journal) == before:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert out == ""
    return process.returncode, without_progress(err), lines_of(journal)


def test_a_run_that_is_stopped_goes_on(home: Path, graded: Run) -> None:
    """By Ctrl-C, or killed: the grades come out as if nothing had been."""
    grades, whole = home / "later", home / "grades"

    assert graded.status == 1
    status, said, first = stopped(home, grades, signal.SIGINT)
    assert status == 130
    assert said == (f"interrupted; what was graded is in {grades}, "
                    "and the same command resumes from there\n")  # fmt: skip
    assert len((grades / "grades.csv").read_text(encoding="utf-8-sig").splitlines()) == 1 + first

    status, said, second = stopped(home, grades, signal.SIGKILL)
    assert (status, said) == (-signal.SIGKILL, "")
    assert second > first

    last = grader(home, *COMMAND, "--grades", "later")
    assert re.search(rf"{GRADED} graded, \d+ of them in an earlier run", last.out)
    for name in ("grades.csv", "results.json"):
        assert (grades / name).read_bytes() == (whole / name).read_bytes()


def test_whoever_stops_listening_is_no_error(home: Path, graded: Run) -> None:
    assert graded.status == 1
    command = shlex.join([*GRADER, *COMMAND])
    done = subprocess.run(["sh", "-c", f"{command} | head -n 1"], cwd=home, env=environment(),
                          capture_output=True, check=True)  # fmt: skip

    assert done.stdout.startswith(b"student")
    assert without_progress(done.stderr.decode()) == ""


def test_every_command_of_the_guide_works(tmp_path: Path) -> None:
    write(tmp_path / "submissions" / "jane", CLASS["alice"])
    write(tmp_path / "submissions" / "joe", CLASS["cem"])
    tables = {"name": "roster", "student": "overrules", "handed_in": "names"}
    called = {
        "Ada Lovelace": "jane",
        "Ben Okafor": "joe",
        "jd77": "jane",
        "final version.zip": "joe",
    }
    for start, rest in re.findall(r"```\n(name|student|handed_in)(,.*?)```", GUIDE, re.DOTALL):
        filled_in = re.sub("|".join(called), lambda found: called[found[0]], start + rest)
        (tmp_path / f"{tables[start]}.csv").write_text(filled_in)
    export = {f"doe{name}_10{at}_9{at}_ex01_softmax.py": RIGHT for at, name in enumerate("ab")}
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        for name, text in export.items():
            archive.writestr(name, text)
    (tmp_path / "points.toml").write_text("ex05 = 4\nex06_causal_attention = 2.5\n")
    shutil.copytree(ROOT / "solutions", tmp_path / "my_solutions")
    (tmp_path / "handed_out").mkdir()
    (tmp_path / "handed_out" / "ex01_softmax.py").write_text(RIGHT)
    (tmp_path / "export.csv").write_text("Student,ID,Section,Attention kata (7)\njane,1,A,\n")
    assert len(COMMANDS) == 28

    for command in COMMANDS:
        words = shlex.split(command.split(" > ")[0].replace("Jane Doe", "jane"))
        run = grader(tmp_path, *words[1:], pool=Crew)
        assert (run.status, run.err) == (0, ""), command
        (tmp_path / "grades" / "settings.toml").unlink(missing_ok=True)  # each is an example
    assert {each.name for each in tmp_path.iterdir()} == {
        "submissions", "points.toml", "my_solutions", "export.csv", "grades", "week3", "exam",
        "again", "decoder", "roster.csv", "overrules.csv", "key.csv", "blind",
        "submissions.zip", "names.csv", "handed_out", "rubric.toml",
    }  # fmt: skip
