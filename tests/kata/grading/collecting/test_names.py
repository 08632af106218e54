"""What the names of files, folders and archives say."""

from pathlib import Path

import pytest

from kata.grading.collecting.exports import name_parts
from kata.grading.collecting.names import number, slug_of, submitters
from tests.helpers.handing_in import EX05, F05, METADATA, from_archive, zipped


def test_gradescope_names_are_read_line_by_line() -> None:
    assert submitters(METADATA.splitlines())["submission_101"] == ("Solo Student", "100")
    assert submitters(["a:\n", "  :submitters:\n", '  - :name: "x\\q"\n']) == {"a": ("x\\q", "")}


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        (F05, EX05),
        ("EX05_Causal_Masks.PY", EX05),
        (f"{EX05} (1).py", EX05),
        (f"{EX05}(12).py", EX05),
        (f"{EX05}_1_.py", EX05),
        (f"{EX05}-1.py", EX05),
        (f"{EX05} 2.py", EX05),
        (f"{EX05} - Copy.py", EX05),
        (f"{EX05} - Copy (2).py", EX05),
        (f"{EX05} copy.py", EX05),
        (f"Copy of {EX05}.py", EX05),
        (f"{F05}.txt", EX05),
        (f"test_{F05}", ""),
        (f"{F05}c", ""),
        (f"{F05}.bak", ""),
        (f"{EX05}_old.py", ""),
        ("ex05_causal_mask.py", ""),
        ("ex05.py", ""),
        ("", ""),
        ("ex05_causal_masks" + "_1" * 40_000 + ".py", ""),
    ],
)
def test_which_exercise_a_file_is(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("submission.zip", 0),
        ("submission.1.zip", 1),
        ("submission-2.zip", 2),
        ("submission (3).tar.gz", 3),
    ],
)
def test_the_number_of_an_archive(name: str, expected: int) -> None:
    assert number(name) == expected


def test_a_folder_with_small_numbers_was_not_named_by_canvas() -> None:
    assert name_parts("team_1_2_red", folder=True).student == "team_1_2_red"
    assert name_parts("doejohn_12345_678910_submission", folder=True).student == "doejohn"
    assert name_parts("alice_smith.zip").student == "alice_smith"


def test_a_hostile_name_is_shown_in_one_short_line(tmp_path: Path) -> None:
    names = ["a\nb.txt", "\x1b[2J", "\u202egpj.exe", "x" * 500]

    assert from_archive(tmp_path, zipped(dict.fromkeys(names, b""))).problem == (
        "it contains no exercise, only a\\nb.txt, \\x1b[2J, \\u202egpj.exe and 1 more"
    )
