"""The grader as an instructor calls it: what is printed, what is written, what can go wrong."""

import ast
import csv
import json
import os
import re
import shlex
import shutil
import zipfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from rich.cells import cell_len

from kata.class_verdict import SubmissionVerdict, submission_from_dict
from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.errors import UserError
from kata.grading import cli, sandbox
from kata.grading.cli import CLOSED
from kata.grading.collecting.submissions import Submission
from kata.grading.flags import works_of
from kata.grading.options import MEMORY, Options
from kata.grading.pool import JudgePool
from kata.grading.reports import class_page
from kata.grading.reports.formats import ON_REQUEST, is_there
from kata.grading.reports.terminal import explained
from kata.judging.limits import TIME_LIMIT
from kata.marks import Mark
from kata.terminal.style import Style
from kata.verdict import ClaimVerdict, ExerciseVerdict, State
from tests.helpers.answers import claims
from tests.helpers.documented import guide
from tests.helpers.grader import grader
from tests.helpers.handing_in import encrypted, zipped
from tests.helpers.handing_in import write as hand_in
from tests.helpers.learner_folder import Run

resource = pytest.importorskip("resource", reason="grading needs a system with fork")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="grading needs fork")

FIRST_TWO = ("--only", "ex01", "--only", "ex02")
RIGHT, RIGHT_TOO = (exercises()[slug].solution.read_text(encoding="utf-8")
                    for slug in ("ex01_softmax", "ex02_attention_scores"))  # fmt: skip
SIGNED = """\
import numpy as np{more}


def softmax(scores, axis=-1):
    return scores / scores.sum(axis, keepdims=True)
"""
LATIN = RIGHT_TOO.encode() + "NAME = 'größe'\n".encode("latin-1")
WIDE, ESCAPES, LONG = "王小明 🎉", "red\x1b[31m\nzoe", "z" * 200
CLASS: dict[str, dict[str, str | bytes]] = {
    "=1+1": {"readme.txt": "here is my homework"},
    "alice": {"ex01_softmax.py": RIGHT, "ex02_attention_scores.py": RIGHT_TOO},
    "bob": {"ex01_softmax.py": SIGNED.format(more=""), "ex02_attention_scores.py": RIGHT_TOO},
    "cem": {"ex01_softmax.py": SIGNED.format(more="\nimport os\n\nos.system('ls')")},
    "dan": {"ex01_softmax.py": "def softmax(", "ex02_attention_scores.py": LATIN},
    ESCAPES: {"ex01_softmax.py": "#" * (2 << 20)},
    **{f"slow {n}": {"ex01_softmax.py": f"import time\n\ntime.sleep(PAUSE)  # {n}\n{RIGHT}"}
       for n in (1, 2, 3)},
    LONG: {"ex01_softmax.py": exercises()["ex01_softmax"].stub.read_text(encoding="utf-8")},
    WIDE: {"ex01_softmax.py": "from scipy.special import softmax\n"},
}  # fmt: skip
GRADED = 11
UNREAD = "not read: ex02_attention_scores.py: not UTF-8 text; save it as UTF-8"
PARSER = ArgumentParser(add_help=False)
cli.arguments(PARSER)
OPTIONS = {action.option_strings[0] for action in PARSER._actions if action.option_strings}
Cheap = Callable[..., Run]
Graded = Iterator[tuple[Submission, SubmissionVerdict]]


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    return hand_in(folder, {name: text.encode() if isinstance(text, str) else text
                            for name, text in files.items()})  # fmt: skip


def classroom(folder: Path, pause: float = 0) -> None:
    """Everybody of whom there is something to be said; some take so many seconds."""
    for name, files in CLASS.items():
        write(folder / name, files)
    for path in folder.glob("slow */*"):
        path.write_text(path.read_text().replace("PAUSE", str(pause)))
    whole = zipped({"ex01_softmax.py": RIGHT.encode()})
    write(folder, {
        "eve_1001_9001_work.zip": whole,  # of whom two are there
        "eve_1001_9002_ex01_softmax.py": SIGNED.format(more="  # of eve"),
        "half.zip": whole[: len(whole) // 2],
        "locked.zip": encrypted(whole),
    })  # fmt: skip


def one_line(run: Run, text: str) -> None:
    assert run.status == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert text in run.err


# A class, graded once


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the class is."""
    folder = tmp_path_factory.mktemp("course")
    classroom(folder / "class")
    (folder / "points.toml").write_text("ex01 = 4\nex02_attention_scores = 0.5\nex18 = 9\n")
    return folder


COMMAND = ("class", *FIRST_TWO, "--seed", "7", "--weights", "points.toml")


@pytest.fixture(scope="module")
def graded(home: Path) -> Run:
    return grader(home, *COMMAND)


@pytest.fixture
def rows(home: Path, graded: Run) -> dict[str, dict[str, str]]:
    """The lines of grades.csv by student."""
    assert graded
    text = (home / "grades" / "grades.csv").read_text(encoding="utf-8-sig")
    return {each["student"]: each for each in csv.DictReader(text.splitlines())}


@pytest.fixture
def verdicts(home: Path, graded: Run) -> dict[str, dict[str, Any]]:
    """What results.json says of each student."""
    assert graded
    found = json.loads((home / "grades" / "results.json").read_bytes())
    assert (found["form"], found["seed"]) == (1, 7)
    assert found["exercises"] == ["ex01_softmax", "ex02_attention_scores"]
    return {each["student"]: each for each in found["submissions"]}


TABLE = """\
student                               score  exercises
=1+1                                      -
    not gradable: it contains no exercise, only readme.txt
alice                             4.5 / 4.5  ✓✓
    ex01: the same program as the reference, as short right answers often are
    ex02: the same program as the reference, names aside
bob                               0.5 / 4.5  ✗✓
    ex02: the same program as the reference, names aside
cem                                 0 / 4.5  ✗·
    tampered: ex01: tried os.system(b'ls')
dan                                 0 / 4.5  ✗?
    not read: ex02_attention_scores.py: not UTF-8 text; save it as UTF-8
    ex01_softmax.py:1 is not Python: '(' was never closed in `def softmax(`
eve                                 0 / 4.5  ✗·
    named as Canvas names files, as most others here are not:
      eve_1001_9001_work.zip, eve_1001_9002_ex01_softmax.py
    ex01 handed in more than once: ex01_softmax.py is later, and counts, not
      work.zip
half                                      -
    not gradable: the archive is damaged: File is not a zip file
locked                                    -
    not gradable: the archive is encrypted
red zoe                             0 / 4.5  ✗·
    ex01_softmax.py is larger than 32768 bytes
slow 1                              4 / 4.5  ✓·
    ex01: the same program as the reference, as short right answers often are
slow 2                              4 / 4.5  ✓·
    ex01: the same program as the reference, as short right answers often are
slow 3                              4 / 4.5  ✓·
    ex01: the same program as the reference, as short right answers often are
zzzzzzzzzzzzzzzzzzzzzzzzzzzzz...    0 / 4.5  ··
王小明 🎉                           0 / 4.5  ✗·
    ex01: `scipy` is not installed where this was graded: line 1
    ex01: `scipy.special.softmax` does what ex01 asks for: line 1

mean 1.55, median 0, of 4.5 points
12 points lost by 3 students in ex01: scores divided by their sum
14 handed in, 11 graded
3 could not be graded
the grades are in grades/grades.csv

what you have to decide:
  not read, and so without points: =1+1, dan (ex02), half and 1 more; ask for
    the files again, or give points with --overrules overrules.csv
"""


def test_the_table(graded: Run) -> None:
    assert graded.err == ""
    assert graded.status == 1
    assert graded.out == TABLE


def test_the_csv(rows: dict[str, dict[str, str]]) -> None:
    assert list(rows["alice"]) == [
        "student", "score", "max_score", "status", "ex01_softmax", "ex02_attention_scores",
        "mistakes", "flags", "notes",
    ]  # fmt: skip
    assert [*rows] == ["'=1+1", *sorted({*CLASS, "eve", "half", "locked"} - {"=1+1", ESCAPES}
                                        | {"red [31m zoe"})]  # fmt: skip
    assert list(rows["bob"].values())[1:7] == [
        "0.5", "4.5", "graded", "0", "0.5", "ex01: scores divided by their sum"
    ]  # fmt: skip
    assert rows["cem"]["status"] == "tampered"
    assert rows["cem"]["flags"] == "ex01: tried os.system(b'ls')"
    assert (rows["half"]["score"], rows["half"]["max_score"]) == ("0", "4.5")
    assert rows["half"]["ex01_softmax"] == rows["half"]["flags"] == ""
    assert "does what ex01 asks for" in rows[WIDE]["flags"]
    assert "is later, and counts, not work.zip" in rows["eve"]["notes"]


def test_every_claim_and_its_time_is_in_the_json(
    home: Path, verdicts: dict[str, dict[str, Any]]
) -> None:
    first, second = verdicts["bob"]["exercises"]
    claim = first["claims"][0]

    assert verdicts["bob"]["marks"] == [
        {"score": 0, "most": 4, "charges": [{"mistakes": ["no-exp"], "points": 4}]},
        {"score": 0.5, "most": 0.5, "charges": []},
    ]
    assert second["stand_ins"] == ["ex01_softmax"]
    assert {each["state"] for each in second["claims"]} == {"passed"}
    assert claim["name"] == "test_one_row_gets_the_weights_worked_out_by_hand"
    assert claim["state"] == "failed"
    assert claim["message"]["evidence"].startswith("3 of 3 values differ; worst at [0]")
    assert [each["slug"] for each in first["diagnosis"]["mistakes"]] == ["no-exp"]
    assert verdicts["cem"]["exercises"][0]["tampering"] == ["os.system(b'ls')"]
    assert verdicts[ESCAPES]["status"] == "graded"

    times = json.loads((home / "grades" / "timings.json").read_bytes())["seconds"]
    alice = next(line for line in times if line["student"] == "alice")
    assert len(times) == len(verdicts)
    assert len(alice["claims"]["ex01_softmax"]) > 20
    assert alice["total"] > 0


def test_a_roster_and_overrules_that_change_nothing_change_no_byte(
    home: Path, graded: Run, tmp_path: Path
) -> None:
    """All on the roster have the names of their folders, one is not on it; nothing is decided."""
    home = shutil.copytree(home, tmp_path / "copy")
    names = [*(CLASS.keys() - {ESCAPES}), "eve", "half", "locked"]
    with (home / "roster.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["Name", "Login"], *([each, ""] for each in names)])
    (home / "overrules.csv").write_text("student,exercise,points\n")
    before = {path.name: path.read_bytes() for path in (home / "grades").iterdir()}

    bare = grader(home, *COMMAND)
    earlier = f"{GRADED} graded, {GRADED} of them in an earlier run"  # nothing is graded twice
    assert bare.out == graded.out.replace(f"{GRADED} graded", earlier)

    again = grader(home, *COMMAND, "--roster", "roster.csv", "--overrules", "overrules.csv")

    assert (again.status, again.err) == (graded.status, graded.err)
    assert again.out.splitlines()[-1].strip() == (
        "not on the roster: red\\x1b[31m\\nzoe; --names names.csv says who they are"
    )
    after = {path.name: path.read_bytes() for path in (home / "grades").iterdir()}
    assert after.keys() - before.keys() <= {"settings.toml"}
    assert {name: after[name] for name in before if name != "settings.toml"} == {
        name: content for name, content in before.items() if name != "settings.toml"
    }


@pytest.fixture
def pageless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page of the class, which takes the longest."""
    monkeypatch.setattr(class_page, "page", lambda *_: nullcontext(lambda _: None))


@pytest.mark.usefixtures("pageless")
def test_the_table_fits_and_needs_no_unicode(home: Path, graded: Run) -> None:
    for width in (40, 60, 120):
        lines = grader(home, *COMMAND, COLUMNS=str(width)).out.splitlines()
        alice = [line.split() for line in lines if line.startswith("alice")]
        marked = {cell_len(line) for line in lines if line.endswith(("✓✓", "✗✗", "✗·"))}

        assert max(map(cell_len, lines)) <= width
        assert (width, alice) == (width, [["alice", "4.5", "/", "4.5", "✓✓"]])
        assert (width, len(marked)) == (width, 1)
        assert len(lines) >= len(graded.out.splitlines()) - 10, width

    for more in ({"PYTHONIOENCODING": "ascii"}, {"TERM": "dumb"}):
        out = grader(home, *COMMAND, **more).out
        assert out.isascii()
        assert re.search(r"^bob +0\.5 / 4\.5  x\+$", out, re.MULTILINE)
        assert re.search(r"^\?\?\? \? +0 / 4\.5  x\.$", out, re.MULTILINE)


@pytest.mark.usefixtures("graded", "pageless")
def test_grades_among_the_submissions_are_nobodys(home: Path) -> None:
    shutil.copytree(home / "grades", home / "class" / "grades")
    try:
        inside = grader(home, *COMMAND, "--grades", "class/grades")
    finally:
        shutil.rmtree(home / "class" / "grades")

    table, _, told = inside.out.partition("14 handed in")
    assert table == grader(home, *COMMAND).out.partition("14 handed in")[0]
    assert "nothing was taken from it" in " ".join(told.split())


@pytest.mark.usefixtures("graded")
def test_every_report_can_be_had_later(home: Path) -> None:
    """Nothing is graded again for it, and all say which file was not read."""
    (home / "export.csv").write_text("Student,ID,Section\nalice,1,A\ndan,3,A\nZoe,2,A\n")
    formats = [f"--report={each}" for each in ON_REQUEST]
    grades = shutil.copytree(home / "grades", home / "again")
    run = grader(home, *COMMAND, *formats, "--gradebook", "export.csv", "--grades", "again")

    assert f"{GRADED} of them in an earlier run" in run.out
    assert "2 grades are in again/gradebook.csv" in run.out
    assert "alice,1,A,4.5" in (grades / "gradebook.csv").read_text(encoding="utf-8")
    for name in ON_REQUEST:
        path = grades / name
        if path.is_dir():
            assert len({file.stem for file in path.iterdir()}) == len(CLASS) + 3, name
        else:
            assert is_there(name, grades), name

    results, feedback, report = (
        (grades / name).read_text(encoding="utf-8")
        for name in ("results.json", "feedback/dan.md", "report.html")
    )
    (dan,) = (each for each in json.loads(results)["submissions"] if each["student"] == "dan")
    (claim,) = dan["exercises"][1]["claims"]
    at = f"line {len(LATIN.splitlines())}"
    assert (claim["state"], claim["message"]["claim"]) == ("not gradable", f"{UNREAD} ({at})")
    assert UNREAD in dan["notes"]
    assert "- ? **ex02_attention_scores**: not read; 0 of 0.5 points" in feedback
    judged = "This file could not be judged, so none of its claims could hold"
    assert f"{judged}:\n\n> {UNREAD} ({at}\\)" in feedback
    assert '<td class="cell not-read"><span aria-hidden="true">?</span>' in report
    assert '<span class="unseen">not read</span>' in report


@pytest.mark.usefixtures("graded")
def test_two_runs_do_not_write_into_one_folder(home: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    folder = os.open(home / "grades", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        run = grader(home, *COMMAND)
    finally:
        os.close(folder)

    one_line(run, "stopped: grades: another run of the grader is writing there")


def test_how_a_mark_came_about_and_why_there_is_none(verdicts: dict[str, dict[str, Any]]) -> None:
    bob, half, dan = ([*explained(submission_from_dict(verdicts[name]), Style())]
                      for name in ("bob", "half", "dan"))  # fmt: skip

    assert bob[:7] == [
        "bob", "", f"ex01_softmax: 0 of 4 points, 0 of {claims()} claims hold",
        "  scores divided by their sum: −4",
        "  ✗ one row gets the weights worked out by hand",
        "      softmax(scores [0, 0.693147, 1.60944])",
        "      3 of 3 values differ; worst at [0]: expected 0.125, got 0",
    ]  # fmt: skip
    assert "  scores divided by their sum. Dividing by the sum keeps the sign of every" in bob
    assert "  the reference stood in for ex01_softmax" in bob
    assert bob[-2:] == ["", "bob: 0.5 of 4.5 points"]
    assert half == ["half: not gradable", "  the archive is damaged: File is not a zip file"]
    assert dan[1:6] == [
        "  not read: ex02_attention_scores.py: not UTF-8 text; save it as UTF-8",
        "",
        "ex01_softmax: 0 of 4 points",
        "  ex01_softmax.py:1 is not Python: '(' was never closed",
        "  def softmax(",
    ]


def test_a_line_of_the_rubric_changes_the_marks_of_all_who_made_the_mistake(
    home: Path, graded: Run, tmp_path: Path
) -> None:
    """Nothing is judged again."""
    assert graded
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    rubric, about = tmp_path / "rubric.toml", "# of 4 points for softmax: scores divided by their"
    written = grader(tmp_path, *COMMAND, "--write-rubric", "rubric.toml")
    text = rubric.read_text(encoding="utf-8")

    assert "the prices of the mistakes that occurred are in rubric.toml" in written.out
    assert f'[ex01_softmax]\nno-exp = "all"  {about} sum; ' in text
    one_line(grader(tmp_path, *COMMAND, "--write-rubric", "rubric.toml"), "is there already")

    rubric.write_text(text.replace('no-exp = "all"', "no-exp = 1"), encoding="utf-8")
    own = (*COMMAND, "--rubric", "rubric.toml")
    with patch.object(JudgePool, "judge", side_effect=AssertionError("somebody was judged")):
        again = grader(tmp_path, *own)
        kept = grader(tmp_path, *own, "--write-rubric", "rubric.toml")
    assert "bob                               3.5 / 4.5" in again.out
    assert kept.status == again.status
    assert f"no-exp = 1  {about} sum; " in rubric.read_text(encoding="utf-8")


# Other ways to grade

CHOSEN: dict[str, dict[str, str | bytes]] = {
    "bob": CLASS["bob"],
    "endless": {"ex01_softmax.py": f"while True:\n    pass\n{RIGHT}"},
    "fat": {"ex01_softmax.py": f"import numpy as np\n\nhuge = np.ones(1 << 28)\n{RIGHT}"},
}


@pytest.fixture(scope="module")
def chosen(home: Path, graded: Run) -> Run:
    """Explained beside the grades of the class, with another reference and little time."""
    for name, files in CHOSEN.items():
        write(home / "chosen" / name, files)
    shutil.copytree(ROOT / "solutions", home / "reference")
    wrong = home / "reference" / "ex01_softmax.py"
    wrong.write_text(RIGHT.replace("scores.max(", "scores.min("))
    before = {each.name: each.read_bytes() for each in (home / "grades").iterdir()}
    run = grader(home, "chosen", *FIRST_TWO, "--explain", "--no-diagnosis", "--workers", "1",
                 "--timeout", "0.4", "--solutions", "reference")  # fmt: skip
    assert before == {each.name: each.read_bytes() for each in (home / "grades").iterdir()}
    assert graded.status == 1
    return run


def part(run: Run, student: str) -> str:
    """What was told of one student."""
    return run.out[run.out.index(f"{student}\n") : run.out.index(f"\n{student}: ")]


def test_marks_are_explained_with_the_numbers_of_the_grades_and_what_was_chosen(
    chosen: Run, verdicts: dict[str, dict[str, Any]]
) -> None:
    """No mistake is named, another reference stands in, and what takes too much is stopped."""
    bob, endless = part(chosen, "bob"), part(chosen, "endless")
    claims = verdicts["bob"]["exercises"][0]["claims"]

    assert any("seed" in claim["message"]["inputs"] for claim in claims)
    for claim in claims:
        assert " ".join(claim["message"]["evidence"].split()) in " ".join(bob.split())
    assert "divided by their sum" not in chosen.out
    assert "  the reference stood in for ex01_softmax" in bob
    assert "ex02_attention_scores: 1 of 1 point" not in bob
    assert "ran out of time" in endless
    assert "ex01_softmax: 0 of 4 points" in endless
    assert "MemoryError" in part(chosen, "fat")
    assert chosen.status == 0


# Without grading anything


REFUSED_FILES = {
    "bad.toml": "ex01 4", "negative.toml": "ex01 = -1", "huge.toml": f"ex01 = {'9' * 400}",
    "word.toml": "ex01 = '4'", "twice.toml": "ex01 = 1\nex01_softmax = 2",
    "unknown.toml": "ex01_sofmax = 1", "notes.csv": "a,b\n1,2\n",
    "empty.csv": "handed_in,student\nann,\n", "others.csv": "who,what\n",
    "both.csv": "handed_in,student\nann,Ann\nANN,Ben\n",
    "odd.csv": "handed_in,student\n\udc81,x\n",
}  # fmt: skip


@pytest.mark.parametrize(("words", "text"), [
    ("clas", "clas does not exist; did you mean `class`?"),
    ("clas/alice", "clas/alice does not exist; did you mean `class`?"),
    ("empty", "empty holds nothing that could be a submission"),
    ("lone --grades lone/grades", "holds nothing that could be a submission"),
    ("points.toml", "points.toml is neither a folder nor a zip"),
    ("class --grades points.toml", "points.toml is not a folder"),
    ("class --grades /proc/grades", "stopped: /proc/grades: No such file or directory"),
    ("class --grades points.toml/grades", "stopped: points.toml/grades: Not a directory"),
    ("class --only ex01_sofmax", "did you mean `ex01_softmax`?"),
    ("class --only fourier", "no exercise is called fourier; there are: ex01, ex02"),
    ("class --only ex01,ex99", "no exercise is called ex99"),
    ("class --core --only ex03", "no exercise is left to grade: ex03 is not one of the core"),
    ("class --weights nowhere.toml", "nowhere.toml cannot be read: No such file"),
    ("class --weights bad.toml", "bad.toml cannot be read: "),
    ("class --weights class", "class cannot be read: Is a directory"),
    ("class --weights negative.toml", "negative.toml: ex01 = -1 is not a number of points"),
    ("class --weights huge.toml", "huge.toml: ex01 = 99"),
    ("class --weights word.toml", "word.toml: ex01 = '4' is not a number of points"),
    ("class --weights twice.toml", "twice.toml: ex01_softmax is there twice"),
    ("class --weights unknown.toml", "no exercise is called ex01_sofmax; did you mean"),
    ("class --solutions few", "few is not a reference: it has no ex02_attention_scores.py"),
    ("class --solutions nowhere", "nowhere is not a reference: it has no ex01_softmax.py"),
    ("class --names empty.csv", "empty.csv, line 2: a cell is empty"),
    ("class --names both.csv", "both.csv: ANN is Ann in line 2 and Ben in line 3"),
    ("class --names others.csv", "others.csv needs the columns handed_in and student"),
    ("class --names odd.csv", "odd.csv is not UTF-8 text: choose UTF-8 where"),
    ("class --gradebook notes.csv", "notes.csv is not a known table"),
    ("class --explain --report junit", "writes nothing: leave out --report, --gradebook"),
    ("class --explain --gradebook x.csv", "writes nothing: leave out --report, --gradebook"),
    ("class --column Masks", "--gradebook is missing"),
])  # fmt: skip
def test_what_cannot_be_done_is_one_line_and_grades_nobody(
    home: Path, words: str, text: str
) -> None:
    for name, content in REFUSED_FILES.items():
        (home / name).write_text(content, encoding="utf-8", errors="surrogateescape")
    for folder in ("empty", "lone/grades"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "solutions", home / "few", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("ex02*"))  # fmt: skip
    before = sorted(home.iterdir())

    grades = () if "--grades" in words else ("--grades", "none")
    one_line(grader(home, *shlex.split(words), *grades), text)

    assert sorted(home.iterdir()) == before


@pytest.mark.parametrize(("words", "text"), [
    ("--workers 0", "argument --workers: 0 is not a whole number above 0"),
    ("--workers many", "argument --workers: many is not a whole number above 0"),
    ("--timeout x", "argument --timeout: x is not a number of seconds above 0"),
    ("--timeout nan", "argument --timeout: nan is not a number of seconds above 0"),
    ("--timeout inf", "argument --timeout: inf is not a number of seconds above 0"),
    ("--memory -3", "argument --memory: -3 is not a whole number above 0"),
    ("--seed 1.5", "argument --seed: 1.5 is not a whole number above 0"),
    ("--colour", "unrecognized arguments: --colour"),
])  # fmt: skip
def test_a_bad_value_is_told(home: Path, words: str, text: str) -> None:
    run = grader(home, "class", *shlex.split(words))

    assert (run.status, run.out) == (2, "")
    assert run.err.endswith(f"{text}\n")


# In this process, with a crew that finds everything right


class Crew:
    """Finds everything right, at once."""

    def __init__(self, options: Options, count: int) -> None:
        self.options = options
        assert count > 0

    def grade(self, submissions: Iterable[Submission]) -> Graded:
        for each in submissions:
            yield each, right(each, self.options)

    def end(self) -> None:
        pass


def right(submission: Submission, options: Options) -> SubmissionVerdict:
    if submission.problem:
        return SubmissionVerdict(submission.student, problem=submission.problem)
    points = [options.points[slug] for slug in options.slugs]
    claims = (ClaimVerdict("test_it", State.PASSED),)
    found = tuple(ExerciseVerdict(slug, claims) for slug in options.slugs)
    works = tuple(works_of(options.slugs, submission.files, submission.proofs))
    marks = tuple(Mark(each, each) for each in points)
    return SubmissionVerdict(submission.student, found, marks, works=works)


@pytest.fixture
def quick(tmp_path: Path, pageless: None) -> Cheap:  # noqa: ARG001  # what it does is wanted
    """Call the grader with that crew."""
    return partial(grader, tmp_path, pool=Crew)


@pytest.fixture
def ann(tmp_path: Path) -> None:
    """Hand in one right answer."""
    write(tmp_path / "class" / "ann", {"ex01_softmax.py": RIGHT})


@pytest.fixture
def room() -> Iterator[Callable[[int], None]]:
    """Say how large files may become: a disk that is full, but for its name."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("ann")
def test_what_is_chosen_reaches_the_judges(tmp_path: Path, quick: Cheap) -> None:
    shutil.copytree(ROOT / "solutions", tmp_path / "reference")
    (tmp_path / "points.toml").write_text("1 = 4")
    words = "--seed 5 --timeout 0.5 --memory 300 --no-diagnosis --solutions reference --only 1"

    with patch.object(Crew, "__init__", autospec=True, side_effect=Crew.__init__) as begun:
        quick("class", *words.split(), "--weights", "points.toml", "--workers", "3")
        quick("class", "--only", "2", "--seed", "6")
        quick("class", "--only", "ex01, ex02", "--grades", "both")

    (_, chosen, count), (_, usual, _), (_, both, _) = (call.args for call in begun.call_args_list)
    assert chosen == Options(("ex01_softmax",), {"ex01_softmax": 4.0}, 5, 0.5, 300,
                             diagnosis=False, solutions=tmp_path / "reference")  # fmt: skip
    assert usual == Options(("ex02_attention_scores",), {"ex02_attention_scores": 1.0}, 6)
    assert both.slugs == ("ex01_softmax", "ex02_attention_scores")
    assert count == 1  # no more judges than students


def test_a_full_disk_loses_nothing(
    tmp_path: Path, quick: Cheap, room: Callable[[int], None]
) -> None:
    grades = tmp_path / "grades"
    for number in range(10):
        write(tmp_path / "class" / f"s{number}", {"ex01_softmax.py": f"{RIGHT}# {number}"})
    quick("class/s0")
    before = {each.name: each.read_bytes() for each in grades.iterdir()}

    room((grades / "journal.jsonl").stat().st_size * 3)
    full = quick("class")
    room(resource.RLIM_INFINITY)

    one_line(full, "stopped: grades: File too large; what was graded so far is kept")
    kept = {each.name: each.read_bytes() for each in grades.iterdir()}
    assert kept.keys() == before.keys()
    assert kept["journal.jsonl"].startswith(before["journal.jsonl"])
    assert "10 graded, 3 of them in an earlier run" in quick("class").out


UNKEPT = ["a submission cannot read your files", "a submission cannot reach the network"]


@pytest.mark.usefixtures("ann")
def test_what_cannot_be_promised_is_said(quick: Cheap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "missing", lambda: UNKEPT)
    told = "".join(f"this machine cannot promise that {each}\n" for each in UNKEPT)

    refused = quick("class", "--core")
    trusted = quick("class", "--core", "--trusted")

    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(told)
    assert refused.err.removeprefix(told) == (
        "nothing was graded: use a container, or --trusted if you trust these submissions "
        "(docs/grading/sandbox.md)\n"
    )
    assert (trusted.status, trusted.err) == (0, told)
    assert "1 handed in, 1 graded" in trusted.out


@pytest.mark.usefixtures("ann")
def test_a_fault_of_the_grader_is_one_line_with_its_place(quick: Cheap) -> None:
    with patch.object(Crew, "grade", lambda *_: 1 / 0):
        one_line(quick("class"), "the grader itself crashed: ZeroDivisionError in test_grader.py:")

    def far(*_: object) -> None:  # in a child process, of which only the text is known
        raise ValueError("odd") from RuntimeError(
            '\n  File "/x/pool.py", line 1\n  File "/x/page.py", line 7, in f'
        )

    with patch.object(Crew, "grade", far):
        one_line(quick("class"), "ValueError in page.py:7: odd")


def test_two_with_the_same_content_are_both_graded_now(tmp_path: Path) -> None:
    """By one question to a judge."""
    for name in ("ann", "ben", "cleo"):
        write(tmp_path / "class" / name, {"ex01_softmax.py": RIGHT})
    asked: list[str] = []

    class Counting(Crew):
        def grade(self, submissions: Iterable[Submission]) -> Graded:
            read = [*submissions]  # before any of them is judged
            asked.extend(submission.student for submission in read)
            yield from super().grade(iter(read))

    runs = [grader(tmp_path, "class", pool=Counting) for _ in range(2)]

    assert "3 handed in, 3 graded\n" in runs[0].out
    assert "3 handed in, 3 graded, 3 of them in an earlier run\n" in runs[1].out
    assert asked == ["ann"]


@pytest.mark.usefixtures("ann")
def test_whom_no_judge_survived_is_tried_again(quick: Cheap) -> None:
    def lost(_: Crew, submissions: Iterable[Submission]) -> Graded:
        for submission in submissions:
            yield submission, SubmissionVerdict(submission.student, problem="no judge")

    with patch.object(Crew, "grade", lost):
        assert quick("class").status == 1

    assert "1 handed in, 1 graded" in quick("class").out


def test_grades_beside_the_clones_of_a_class_are_nobodys(tmp_path: Path, quick: Cheap) -> None:
    for name in ("ada", "ben"):
        write(tmp_path / "s" / "masks-submissions" / f"masks-{name}", {"ex01_softmax.py": RIGHT})

    for _ in range(2):
        assert "2 handed in, 2 graded" in quick("s", "--grades", "s/grades").out


def test_the_same_work_handed_in_late_is_noted(tmp_path: Path, quick: Cheap) -> None:
    early = tmp_path / "class" / "doejane_101_9001_ex01_softmax.py"
    write(tmp_path / "class", {early.name: RIGHT})
    quick("class")
    early.rename(early.with_name("doejane_LATE_101_9002_ex01_softmax.py"))

    assert "handed in late" in quick("class").out


@pytest.mark.parametrize("more", [(), ("--deadline", "2026-03-01")])
def test_everybody_gets_feedback_to_upload(
    tmp_path: Path, quick: Cheap, more: tuple[str, ...]
) -> None:
    names = ["doejane_101_9001_ex01_softmax.py", "roebob_102_9002_ex01_softmax.py"]
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        for name in names:
            archive.writestr(name, RIGHT)

    run = quick("submissions.zip", "--upload", "canvas", *more)

    assert "feedback for 2 is in grades/upload-canvas.zip" in run.out + run.err
    with zipfile.ZipFile(tmp_path / "grades" / "upload-canvas.zip") as archive:
        assert archive.namelist() == names


@pytest.mark.usefixtures("ann")
def test_reports_of_before_are_written_again(tmp_path: Path, quick: Cheap) -> None:
    (tmp_path / "points.toml").write_text("ex01 = 400\n")
    quick("class", "--report", "feedback", "--report", "junit")
    quick("class", "--weights", "points.toml")

    most = str(
        sum(each.points for each in exercises().values()) - exercises()["ex01_softmax"].points + 400
    )
    for name in ("feedback/ann.md", "junit.xml"):
        assert most in (tmp_path / "grades" / name).read_text(encoding="utf-8")


def test_what_is_not_installed_is_one_line(quick: Cheap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None if name == "rich" else name)
    one_line(quick("class"), 'rich, which is not installed: pip install -e ".[grading]"')


@pytest.mark.usefixtures("ann")
def test_one_student_of_a_class_can_be_explained(quick: Cheap, tmp_path: Path) -> None:
    write(tmp_path / "class" / "bea", {"ex01_softmax.py": RIGHT})

    without_grades = quick("class", "--explain")
    quick("class")

    assert "use a different seed" in without_grades.err
    assert "bea" in without_grades.out
    assert quick("class", "--explain", "Ann").out.startswith("ann\n")
    ann = quick("class", "--explain", "ann")
    assert ("bea" in ann.out, ann.err) == (False, "")
    assert quick("class", "--explain", "anne").err.endswith(
        "nobody in the table is called anne; did you mean `ann`?\n"
    )


def test_whose_imports_are_refused_reads_of_their_own(tmp_path: Path) -> None:
    """One judge judges both, and remembers what it has judged."""
    lines = {"ann": "from .ex07_heads import split_heads", "ben": "from solutions.ex01 import x"}
    for name, line in lines.items():
        write(tmp_path / "class" / name, {"ex01_softmax.py": f"{line}\n{RIGHT}"})

    grader(tmp_path, "class", "--only", "ex01", "--workers", "1")

    ann, ben = json.loads((tmp_path / "grades" / "results.json").read_text())["submissions"]
    told = [each["exercises"][0]["claims"][0]["message"]["claim"] for each in (ann, ben)]
    assert "`.ex07_heads`" in told[0]
    assert "solutions" in told[1]


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"seed": "x"}', "\0"])
@pytest.mark.usefixtures("ann")
def test_a_damaged_seed_is_drawn_anew(tmp_path: Path, quick: Cheap, content: str) -> None:
    write(tmp_path / "grades", {"about.json": content})

    assert quick("class").status == 0
    assert json.loads((tmp_path / "grades" / "about.json").read_bytes())["seed"] > 0


@pytest.mark.usefixtures("ann")
def test_another_way_to_grade_is_another_grade_and_it_is_said(tmp_path: Path, quick: Cheap) -> None:
    """What was found with other points, numbers, limits or references does not count."""
    shutil.copytree(ROOT / "solutions", tmp_path / "reference")
    told = "everyone was graded again: limits, the seed, diagnosis or the reference"
    first, second = quick("class").out, quick("class").out
    assert ("earlier" in first, told in first) == (False, False)
    assert ("1 of them in an earlier run" in second, told in second) == (True, False)

    for words in ("--seed 3", "--timeout 3", "--memory 300", "--no-diagnosis"):
        again = quick("class", *words.split()).out
        assert ("earlier" in again, told in again) == (False, True), words

    quick("class", "--solutions", "reference")
    (tmp_path / "reference" / "ex01_softmax.py").write_text(RIGHT + "# mine")
    assert "earlier" not in quick("class", "--solutions", "reference").out


def test_a_reference_of_your_own_hides_no_mistake(tmp_path: Path) -> None:
    """What the catalogue knows does not depend on how the reference is written."""
    ex05 = exercises()["ex05_causal_masks"]
    for exercise in exercises().values():
        text = ast.unparse(ast.parse(exercise.solution.read_text(encoding="utf-8")))
        (tmp_path / "own").mkdir(exist_ok=True)
        (tmp_path / "own" / exercise.filename).write_text(text, encoding="utf-8")
    own = (tmp_path / "own" / ex05.filename).read_text(encoding="utf-8")
    mistake = next(each for each in bugs(ex05) if each.change[0][0] not in own)
    write(tmp_path / "class" / "ann", {ex05.filename: wrong_answer(ex05, mistake)})
    write(tmp_path / "class" / "ben", {ex05.filename: own})

    run = grader(tmp_path, "class", "--only", "ex05", "--solutions", "own")

    assert (run.status, run.err) == (0, "")
    with (tmp_path / "grades" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        ann, ben = csv.DictReader(file)
    assert mistake.title in ann["mistakes"]
    assert "the same program as the reference, names aside" in ben["flags"]


def test_who_is_alike_is_told_and_shown_side_by_side_if_asked(tmp_path: Path, quick: Cheap) -> None:
    """Also of somebody who was graded in an earlier run."""
    folder = ROOT / "tests" / "accepted" / "ex09_multi_head_attention"
    work = {"ex09_multi_head_attention.py": (folder / "renormalised.py").read_bytes()}
    page = tmp_path / "grades" / "alike.html"
    write(tmp_path / "class" / "ann", work)
    assert "the same steps" not in quick("class", "--only", "9").out
    write(tmp_path / "class" / "ben", work)

    assert quick("class", "--only", "9").out.count("    ex09: 100 % the same steps as ") == 2
    text = (tmp_path / "grades" / "grades.csv").read_text(encoding="utf-8-sig")
    assert "ex09: 100 % the same steps as ben, names and order aside" in text
    assert not page.exists()

    quick("class", "--only", "9", "--alike")
    line = "mask_weights(torch.softmax(scores, dim=-1), mask)"
    assert page.read_text(encoding="utf-8").count(line) == 2

    write(tmp_path / "given", work)
    given = quick("class", "--only", "9", "--alike", "--given", "given")
    assert "the same steps" not in given.out
    assert "No two works are more alike" in page.read_text(encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for nothing in ("empty", "nowhere"):
        assert quick("class", "--given", nothing).status == 2


@pytest.mark.usefixtures("ann")
def test_whoever_stops_listening_is_no_error(quick: Cheap) -> None:
    with patch.object(cli, "_print", side_effect=BrokenPipeError), patch.object(os, "dup2") as to:
        run = quick("class")

    assert (run.status, run.out, run.err) == (CLOSED, "", "")
    assert to.call_args.args[1] == 1  # so that Python does not complain when it ends


@pytest.mark.parametrize("done", [0, 2])
def test_a_run_that_is_stopped_goes_on(tmp_path: Path, quick: Cheap, done: int) -> None:
    """The grades come out as if nothing had been."""
    for number in range(5):
        write(tmp_path / "class" / f"s{number}", {"ex01_softmax.py": f"{RIGHT}# {number}"})
    command = ("class", "--seed", "7", "--grades")
    quick(*command, "whole")

    class Stopped(Crew):
        def grade(self, submissions: Iterable[Submission]) -> Graded:
            yield from islice(super().grade(submissions), done)
            raise KeyboardInterrupt

    stopped = grader(tmp_path, *command, "later", pool=Stopped)
    rows = (tmp_path / "later" / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    last = quick(*command, "later")

    said = "interrupted; what was graded is in later, and the same command resumes from there\n"
    assert (stopped.status, stopped.out, stopped.err) == (130, "", said)
    assert len(rows) == 1 + done
    earlier = f", {done} of them in an earlier run" if done else ""
    assert f"5 handed in, 5 graded{earlier}\n" in last.out
    for name in ("grades.csv", "results.json"):
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (tmp_path / "later" / name).read_bytes() == whole


# What the pages for instructors say

GUIDE = guide()
COMMANDS = [
    command for command in re.findall(r"^ *python (grader\.py .*)$", GUIDE, re.MULTILINE)
    if "--cluster" not in command and "--course" not in command  # tests/system has real ones
]  # fmt: skip


def test_every_command_of_the_guide_is_understood(tmp_path: Path) -> None:
    """Up to the grading itself; tests/system does that, too."""
    (tmp_path / "points.toml").write_text("ex05 = 4\nex06_causal_attention = 2.5\n")
    shutil.copytree(ROOT / "solutions", tmp_path / "my_solutions")
    (tmp_path / "names.csv").write_text("handed_in,student\njd77,jane\n")
    write(tmp_path / "grades", {"about.json": '{"seed": 7}'})
    (tmp_path / "export.csv").write_text("Student,ID,Section,Attention kata (7)\njane,1,A,\n")
    (tmp_path / "rubric.toml").write_text("[ex05]\ncausal-transposed = 1\n")
    assert len(COMMANDS) == 28

    for command in COMMANDS:
        if "--write-rubric" in command:
            (tmp_path / "rubric.toml").rename(tmp_path / "rubric")
        with patch.object(cli, "grade", side_effect=UserError("so far, so good")):
            run = grader(tmp_path, *shlex.split(command.split(" > ")[0])[1:])
        assert (run.status, run.out, run.err) == (2, "", "so far, so good\n"), command
        if "--write-rubric" in command:
            (tmp_path / "rubric").rename(tmp_path / "rubric.toml")


def test_the_guide_has_every_option_with_its_default_and_an_example() -> None:
    table = GUIDE.split("# Every option")[1].split("\n\n")[2]
    found = dict(re.findall(r"^\| `(--[a-z-]+).*\| ([^|]*) \|$", table, re.MULTILINE))

    assert set(found) == OPTIONS
    assert (found["--timeout"], found["--memory"]) == (str(TIME_LIMIT), str(MEMORY))
    # Each example is run in tests/system.
    shown = re.findall(r"^ *python grader\.py ((?:.*\\\n)*.*)$", GUIDE, re.MULTILINE)
    assert {option for words in shown for option in re.findall(r"--[a-z-]+", words)} >= OPTIONS


def test_the_guide_has_every_promise_file_column_and_page(
    rows: dict[str, dict[str, str]], home: Path
) -> None:
    for promise in sandbox.PROMISES.values():
        assert f"| it {promise.removeprefix('a submission ')} | " in GUIDE
    files = {each.name for each in (home / "grades").iterdir()}
    assert files >= {"grades.csv", "results.json", "timings.json", "report.html", "about.json"}
    assert [each for each in files if f"| `{each}` | " not in GUIDE] == []
    assert all(f"`{each}`" in GUIDE for each in rows["alice"] if each != "ex02_attention_scores")
    first = (ROOT / "docs" / "instructors.md").read_text(encoding="utf-8")
    pages = {f"grading/{page.name}" for page in (ROOT / "docs" / "grading").glob("*.md")}
    assert {*re.findall(r"\]\((grading/[\w-]+\.md)\)", first)} == pages
