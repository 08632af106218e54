"""The process that writes reports ends with the one that asked for them; what has changed."""

import signal
from multiprocessing import Process
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from kata.grading import class_results
from kata.grading.class_results import Marks, changes, earlier_marks


def test_it_leaves_ctrl_c_to_the_process_that_waits_and_waits_for_its_end() -> None:
    with patch("signal.signal") as ignored, patch.object(class_results, "Thread") as thread:
        class_results._belong()

    ignored.assert_called_once_with(signal.SIGINT, signal.SIG_IGN)
    thread.assert_called_once_with(target=class_results._end_with_parent, daemon=True)
    thread().start.assert_called_once_with()


def test_it_ends_once_the_other_has() -> None:
    grader = Mock(spec=Process)
    with patch("multiprocessing.parent_process", return_value=grader), patch("os._exit") as end:
        grader.join.side_effect = end.assert_not_called
        class_results._end_with_parent()

    end.assert_called_once_with(1)


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
