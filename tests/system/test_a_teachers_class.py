"""A class of ten, from an export of Canvas to gradebook and feedback, as the guide tells it.

With a roster, a late rule and one overrule; all marks are computed here, by hand.
"""

import csv
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises
from tests.helpers.grader import grader
from tests.helpers.learner_folder import Run

EX01, EX02 = "ex01_softmax", "ex02_attention_scores"
RIGHT = {slug: exercises()[slug].solution.read_bytes() for slug in (EX01, EX02)}
STUB = exercises()[EX01].stub.read_bytes()
WRONG = wrong_answer(exercises()[EX01], bugs(exercises()[EX01])[0]).encode()
NAMES = ("Ada Lovelace", "Ben Okafor", "Cleo van Dyck", "Dan Moe", "Eve Poe", "Finn O'Neil",
         "Gül Öz", "Hana Suzuki", "Ivo Roe", "Jane Doe")  # fmt: skip
LATE, FAR_TOO_LATE, LOST, ABSENT = "Ben Okafor", "Cleo van Dyck", "Dan Moe", "Jane Doe"
RULED = "Eve Poe"
SECTIONS = ("North", "South")
COMMAND = ("class", "--only", "ex01", "--only", "ex02", "--seed", "7", "--workers", "1")
ASKED = ("--roster", "roster.csv", "--deadline", "2026-03-01 23:59 Europe/Berlin",
         "--late", "10% per day, grace 2 days, at most 50%",
         "--overrules", "overrules.csv")  # fmt: skip


def in_canvas(name: str) -> str:
    first, _, last = name.partition(" ")
    return "".join(filter(str.isalnum, f"{last}{first}")).lower()


def sortable(name: str) -> str:
    first, _, last = name.partition(" ")
    return f"{last}, {first}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export, and what a teacher keeps beside it."""
    folder = tmp_path_factory.mktemp("term")
    (folder / "class").mkdir()
    for number, name in enumerate(NAMES[:-1], start=101):
        hand_in(folder / "class", name, number)
    roster = [["Name", "ID", "Section", "handed_in"]]
    times = {LATE: "2026-03-04 00:01", FAR_TOO_LATE: "2026-04-01 12:00"}
    roster += [[name, str(number), SECTIONS[number % 2], times.get(name, "")]
               for number, name in enumerate(NAMES, start=101)]  # fmt: skip
    rows(folder / "roster.csv", roster)
    rows(folder / "overrules.csv",
         [["student", "exercise", "points", "adjustment", "comment", "reason"],
          [RULED, "ex01", "0.75", "", "Right but for the sign.", "talked on 5 March"]])  # fmt: skip
    heads = [["Student", "ID", "SIS Login ID", "Section", "Attention kata (7)"],
             ["    Points Possible", "", "", "", "10"]]  # fmt: skip
    people = [[sortable(name), str(number), "", "A", ""]
              for number, name in enumerate(NAMES, start=101)]  # fmt: skip
    rows(folder / "export.csv", heads + people)
    return folder


def hand_in(folder: Path, name: str, number: int) -> None:
    late = "_LATE" if name in {LATE, FAR_TOO_LATE} else ""
    start = f"{in_canvas(name)}{late}_{number}"
    if name == LOST:
        (folder / f"{start}_9{number}_work.zip").write_bytes(b"PK\3\4 damaged")
        return
    first = WRONG if name == RULED else STUB if name == "Ivo Roe" else RIGHT[EX01]
    (folder / f"{start}_9{number}0_{EX01}.py").write_bytes(first)
    (folder / f"{start}_9{number}1_{EX02}.py").write_bytes(RIGHT[EX02])


def rows(path: Path, lines: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)


def read(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def graded(home: Path) -> Run:
    return grader(home, *COMMAND, *ASKED, "--gradebook", "export.csv", "--upload", "canvas",
                 "--report", "feedback", "--report", "gradescope")  # fmt: skip


@pytest.fixture
def marks(home: Path, graded: Run) -> dict[str, dict[str, str]]:
    assert graded.status == 1, graded.err  # one could not be graded
    return read(home / "grades" / "grades.csv")


def test_every_mark_is_as_computed_by_hand(marks: dict[str, dict[str, str]]) -> None:
    """Of 2 points: 10 per cent for one day after the grace; at most half; 0.75 for ex01."""
    due = {**dict.fromkeys(NAMES, "2"), LATE: "1.8", FAR_TOO_LATE: "1", RULED: "1.75",
           "Ivo Roe": "1", LOST: "0", ABSENT: ""}  # fmt: skip

    assert {name: row["score"] for name, row in marks.items()} == due
    assert marks[LATE]["earned"] == marks[FAR_TOO_LATE]["earned"] == "2"
    assert float(marks[RULED]["earned"]) < 1.75
    assert marks[RULED][EX01] == "0.75"
    assert marks[ABSENT]["status"] == "missing"
    assert {row["section"] for row in marks.values()} == {*SECTIONS}


def test_the_teacher_is_told(graded: Run) -> None:
    assert "1 of 10 on the roster has handed in nothing: Jane Doe" in graded.out
    assert "deadline 2026-03-01 23:59 UTC+01:00: 2 handed in later" in graded.out
    assert "score: from 2 to 1.8 points, handed in late, 2026-03-04 00:01; 1 day" in graded.out
    assert "reason: talked on 5 March" in " ".join(graded.out.split())


def test_the_gradebook_is_ready_to_import(home: Path, graded: Run) -> None:
    assert graded
    book = read(home / "grades" / "gradebook.csv")
    scores = {row["ID"]: row["Attention kata (7)"] for row in book.values()}

    assert [scores[str(number)] for number in range(101, 111)] == [
        "10", "9", "5", "", "8.75", "10", "10", "10", "5", ""
    ]  # fmt: skip


def test_everybody_s_page_is_in_the_upload_under_the_name_that_canvas_gave(
    home: Path, graded: Run
) -> None:
    assert "feedback for 9 is in" in graded.out
    downloaded = {each.name for each in (home / "class").iterdir()}
    with zipfile.ZipFile(home / "grades" / "upload-canvas.zip") as archive:
        pages = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}

    assert pages.keys() <= downloaded
    assert {name.split("_")[0] for name in pages} == {in_canvas(name) for name in NAMES[:-1]}
    (ruled,) = (text for name, text in pages.items() if name.startswith("poeeve"))
    assert "Right but for the sign" in ruled
    assert "talked on" not in ruled


def test_no_student_reads_a_reason_or_another_name(home: Path, graded: Run) -> None:
    assert graded
    for name in NAMES[:-1]:
        others = {each for each in NAMES if each != name}
        paths = [*(home / "grades").glob(f"*/{name.replace(chr(39), '*')}*")]
        text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
        assert len(paths) == 3
        assert not [each for each in (*others, "talked on") if each in text]


def test_what_is_asked_for_later_grades_nobody_again_and_can_be_taken_back(
    home: Path, graded: Run, tmp_path: Path
) -> None:
    """Once they are forgotten, the files are those of a run that never had them, byte for byte."""
    assert graded
    journal = (home / "grades" / "journal.jsonl").read_bytes()
    (home / "grades" / "settings.toml").unlink()
    fresh = grader(home, *COMMAND, "--grades", str(tmp_path / "plain"))
    again = grader(home, *COMMAND)

    assert "8 graded, 8 of them in an earlier run" in again.out
    assert fresh.status == again.status == 1
    assert (home / "grades" / "journal.jsonl").read_bytes() == journal
    for name in ("grades.csv", "results.json"):
        plain = (tmp_path / "plain" / name).read_bytes()
        assert (home / "grades" / name).read_bytes() == plain


def test_what_does_not_apply_changes_no_byte(home: Path, graded: Run, tmp_path: Path) -> None:
    """Everybody in time, each under the name of their files, nothing decided."""
    students = sorted({each.name.split("_")[0] for each in (home / "class").iterdir()})
    rows(tmp_path / "all.csv", [["login", "handed_in"],
                                *([each, "2026-03-01 10:00"] for each in students)])  # fmt: skip
    (tmp_path / "none.csv").write_text("student,exercise,points\n")
    assert graded
    grades = str(shutil.copytree(home / "grades", tmp_path / "grades"))
    (tmp_path / "grades" / "settings.toml").unlink(missing_ok=True)
    reports = ("--report", "feedback", "--report", "gradescope", "--grades", grades)
    grader(home, *COMMAND, *reports)
    (tmp_path / "grades" / "settings.toml").unlink()
    before = everything(tmp_path / "grades")

    asked = ("--roster", str(tmp_path / "all.csv"), "--overrules", str(tmp_path / "none.csv"))
    done = grader(home, *COMMAND, *ASKED[2:6], *asked, *reports)

    assert "0 handed in later" in done.out
    (tmp_path / "grades" / "settings.toml").unlink()
    assert everything(tmp_path / "grades") == before


def everything(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes()
            for each in folder.rglob("*") if each.is_file()}  # fmt: skip


def test_somebody_ill_gets_a_mark_and_somebody_doubted_is_judged_again(
    home: Path, graded: Run, tmp_path: Path
) -> None:
    assert graded
    rows(tmp_path / "ill.csv", [["student", "points", "comment"], [ABSENT, "1.5", "Get well."]])
    grades = shutil.copytree(home / "grades", tmp_path / "grades")
    words = (*COMMAND, "--roster", "roster.csv", "--grades", str(grades), "--report", "feedback")
    done = grader(home, *words, "--overrules", str(tmp_path / "ill.csv"), "--again", RULED,
                 "--gradebook", "export.csv", "--upload", "canvas")  # fmt: skip

    found = read(grades / "grades.csv")[ABSENT]
    assert (found["score"], found["status"]) == ("1.5", "missing")
    assert "9 handed in, 8 graded, 7 of them in an earlier run" in done.out
    assert "1 of 10 on the roster has handed in nothing: Jane Doe" in done.out
    assert "feedback for 9 is in" in done.out
    (row,) = (row for row in read(grades / "gradebook.csv").values() if row["ID"] == "110")
    assert row["Attention kata (7)"] == "7.5"
    page = (grades / "feedback" / f"{ABSENT}.md").read_text("utf-8")
    assert "1.5 of 2" in page
    assert "Get well" in page
    assert "Nothing was handed in. The mark is your instructor's." in page
    report = (grades / "report.html").read_text("utf-8")
    assert "<dt>handed in</dt><dd>9</dd>" in report
    assert "10 of 10 students" in report
    assert "<dt>missing</dt><dd>1</dd>" in report


def test_the_same_class_without_names(home: Path, tmp_path: Path) -> None:
    """No file holds a name, and the key file leads back to the same marks."""
    key = tmp_path / "key.csv"
    words = (*COMMAND, *ASKED, "--anonymous", str(key), "--report", "feedback", "--report", "junit")
    done = grader(home, *words, "--grades", str(tmp_path / "blind"))
    parts = {part.lower() for name in NAMES for part in (*name.split(), in_canvas(name))
             if len(part) > 3}  # fmt: skip
    written = b"\n".join(everything(tmp_path / "blind").values()).decode().lower()
    whose = {row["code"]: row["student"] for row in read(key).values()}
    marks = {whose[code]: row["score"] for code, row in read(tmp_path / "blind/grades.csv").items()}

    assert done.status == 1, done.err
    assert [part for part in parts if part in written + done.out.lower()] == []
    assert marks == {**dict.fromkeys(NAMES, "2"), LATE: "1.8", FAR_TOO_LATE: "1", RULED: "1.75",
                     "Ivo Roe": "1", LOST: "0", ABSENT: ""}  # fmt: skip
    again = grader(home, *words, "--grades", str(tmp_path / "blind"))
    assert again.out.replace(", 8 of them in an earlier run", "") == done.out
    assert json.loads((tmp_path / "blind" / "about.json").read_bytes())["anonymous"] is True
