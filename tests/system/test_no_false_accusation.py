"""What is left in the code by accident, and faults of the grader's own, graded for real."""

import csv
import shutil
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.grading import sandbox
from tests.helpers.another_kata import another_kata, run_in
from tests.helpers.grader import grader
from tests.helpers.sampling import release

EX04 = exercises()["ex04_scaled_attention"]
RIGHT = EX04.solution.read_text(encoding="utf-8")
FIRST = "    scores = "  # the first line of the function
INSIDE = {
    "ann": "breakpoint()",
    "ben": "import pdb; pdb.set_trace()",
    "cleo": 'print(query.shape, file=open("debug.txt", "a"))',
    "dan": "import tempfile; tempfile.mkdtemp()",
    "hal": 'open("/etc/passwd").read()',
    "ida": "exit()",
}
ABOVE = {"eve": "from einops import rearrange", "fay": "import os; os.system('cls')"}
TOLD = {
    "ann": "`breakpoint()` was left in the code: line",
    "ben": "`pdb.set_trace()` was left in the code: line",
    "cleo": "the code uses a file, and there are none where it is graded: line",
    "dan": "the code uses a file, and there are none where it is graded: line",
    "eve": "`einops` is not installed where this was graded: line 1",
    "fay": "the code clears a screen, and there is none where it is graded: line 1",
}

pytestmark = pytest.mark.skipif(bool(sandbox.missing()), reason="not all promises can be kept here")


def hand_in(folder: Path, student: str, text: str) -> None:
    (folder / student).mkdir(parents=True, exist_ok=True)
    (folder / student / EX04.filename).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("accidents")
    for student, line in INSIDE.items():
        hand_in(home / "class", student, RIGHT.replace(FIRST, f"    {line}\n{FIRST}", 1))
    for student, line in ABOVE.items():
        hand_in(home / "class", student, f"{line}\n{RIGHT}")
    assert grader(home, "class", "--only", "ex04", "--report", "feedback").status == 0
    return home / "grades"


def rows(grades: Path) -> dict[str, dict[str, str]]:
    with (grades / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_only_what_cannot_be_an_accident_is_tampering(grades: Path) -> None:
    tampered = [name for name, row in rows(grades).items() if row["status"] == "tampered"]

    assert tampered == ["hal"]


@pytest.mark.parametrize("student", TOLD)
def test_teacher_and_student_are_told_what_was_left(grades: Path, student: str) -> None:
    page = (grades / "feedback" / f"{student}.md").read_text(encoding="utf-8")

    assert TOLD[student] in rows(grades)[student]["flags"]
    assert TOLD[student].replace("_", "") in page.replace("\\", "").replace("_", "")
    assert "tried what no exercise asks for" not in page


def test_what_it_cost_has_a_name(grades: Path) -> None:
    named = {name: row["mistakes"].partition(": ")[2] for name, row in rows(grades).items()}

    assert named["ann"] == named["ben"] == "a breakpoint was left in the code"
    assert named["cleo"] == "the code opens a file that is not there or may not be opened"
    assert named["eve"] == "a package that is not installed where the code runs"
    assert named["ida"] == "the code ends the whole program"
    assert named["fay"] == ""  # and all claims hold


# -- faults of the grader's own, in files of its course


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another kata, with a class of one who has everything right and one who has not."""
    home = another_kata(tmp_path_factory.mktemp("other") / "kata")
    hand_in(home / "class", "ann", RIGHT)
    hand_in(home / "class", "ben", RIGHT.replace("** 0.5", "** 1"))
    return home


def in_a_claim(text: str) -> str:
    """The suite with a mistake of its own in the first claim."""
    end = text.index('"""', text.index('"""', text.index("def test_")) + 3) + 3
    return f"{text[:end]}\n    {{}}['no such key']{text[end:]}"


FAULTS = {
    "a claim": (f"tests/graded/test_{EX04.filename}", in_a_claim, "KeyError: 'no such key'"),
    "an import": (f"tests/graded/test_{EX04.filename}", "import no_such_module\n{}".format,
                  "No module named 'no_such_module'"),
    "the reference": (f"solutions/{EX04.filename}", "{}\ndef (\n".format, "is not Python"),
}  # fmt: skip


@release  # test_one_engine mends a fault at every push
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_grader_blames_nobody_and_once_mended_the_same_command_grades(
    other: Path, fault: str
) -> None:
    file, change, told = FAULTS[fault]
    shutil.rmtree(other / "grades", ignore_errors=True)
    right = (other / file).read_text(encoding="utf-8")
    (other / file).write_text(change(right), encoding="utf-8")
    run = run_in(other, "grader.py", "class", "--only", "ex04", "--workers", "1")
    (other / file).write_text(right, encoding="utf-8")

    *_, last = run.err.splitlines()
    assert run.status == 2
    assert last.startswith(("the grader itself has a fault, and no submission is to blame: ",
                            f"{EX04.slug}: its suite refuses the reference"))  # fmt: skip
    assert told in last
    assert "Traceback" not in run.err
    table = other / "grades" / "grades.csv"
    assert not table.exists() or "ann" not in table.read_text(encoding="utf-8-sig")

    run = run_in(other, "grader.py", "class", "--only", "ex04", "--workers", "1")
    assert run.status == 0, run.err
    assert "2 handed in, 2 graded" in run.out
