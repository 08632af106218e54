"""The process that writes reports: it ends with the one that asked for them, if that is killed."""

import signal
from multiprocessing import Process
from unittest.mock import Mock, patch

from kata.grading import class_results


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
