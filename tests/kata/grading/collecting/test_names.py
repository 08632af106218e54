"""What the names of files, folders and archives say."""

from pathlib import Path

from kata.grading.collecting.names import name_parts, number, slug_of
from kata.grading.collecting.places import Metadata, gradescope
from tests.helpers.handed_work import EX05, F05, METADATA
from tests.helpers.handing_in import write


def test_metadata_of_gradescope_are_read_line_by_line(tmp_path: Path) -> None:
    odd = 'submission_9:\n  :submitters:\n  - :name: "x\\q"\n'
    write(tmp_path, {"submission_metadata.yml": f"{METADATA}{odd}".encode()})

    metadata = gradescope(tmp_path)

    time = "2024-05-01 10:00:00.000000000 -07:00"
    assert metadata["submission_101"] == Metadata(["Solo Student"], ["100"], time)
    assert metadata["submission_9"] == Metadata(["x\\q"])


def test_which_exercise_a_file_is() -> None:
    right = (*(F05, "EX05_Causal_Masks.PY", f"{EX05} (1).py", f"{EX05}(12).py", f"{EX05}_1_.py"),
             *(f"{EX05}-1.py", f"{EX05} 2.py", f"{EX05} - Copy.py", f"{EX05} - Copy (2).py"),
             *(f"{EX05} copy.py", f"Copy of {EX05}.py", f"{F05}.txt"))  # fmt: skip
    others = (*(f"test_{F05}", f"{F05}c", f"{F05}.bak", f"{EX05}_old.py", "ex05_causal_mask.py"),
              *("ex05.py", "", "ex05_causal_masks" + "_1" * 40_000 + ".py"))  # fmt: skip

    assert {name: slug for name in right if (slug := slug_of(name)) != EX05} == {}
    assert {name[:60]: slug for name in others if (slug := slug_of(name)) != ""} == {}


def test_the_number_of_an_archive() -> None:
    names = "submission.zip", "submission.1.zip", "submission-2.zip", "submission (3).tar.gz"

    assert [number(name) for name in names] == [0, 1, 2, 3]


def test_a_folder_with_small_numbers_was_not_named_by_canvas() -> None:
    assert name_parts("team_1_2_red", folder=True).student == "team_1_2_red"
    assert name_parts("doejohn_12345_678910_submission", folder=True).student == "doejohn"
    assert name_parts("alice_smith.zip").student == "alice_smith"
