"""What has become of the marks of an earlier run."""

from pathlib import Path

import pytest

from kata.grading.class_results import Marks, changes, earlier_marks


def test_what_changed_names_whom_it_changed_most_and_no_more_than_six() -> None:
    before = {f"s{at}": 1.0 for at in range(9)}
    now = {**{name: 1.0 + at for at, name in enumerate(before)}, "new": 3.0}

    (line,) = changes(Marks(before), Marks(now), 9)

    assert line.startswith("since the last run 8 marks rose: s8 1 → 9, s7 1 → 8")
    assert line.endswith("and 2 more")
    assert [*changes(Marks({"a": 1.0}), Marks({"a": 1.0}), 0)] == []
    assert [*changes(Marks({}), Marks({"a": 1.0}), 1)] == []


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"student,score\nann,x\n", b"a,b\n1,2\n"])
def test_a_table_that_cannot_be_read_is_no_earlier_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "grades.csv").write_bytes(content)

    assert earlier_marks(tmp_path) == Marks({})
