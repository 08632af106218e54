"""What holds for the tests of the kata itself, and not for learners who run pytest in its folder.

All that tests start is stopped by Ctrl-C, as it is for a person: a shell that was told to work in
the background has Ctrl-C ignored, in all that it starts.
"""

import gc
import signal

import pytest

from tests.helpers.left_out import draw_seed, told

signal.signal(signal.SIGINT, signal.default_int_handler)
collect_ignore = ["proofs"]  # model proofs are named like exercises; tests/kata judges them


def pytest_collection_finish() -> None:
    """What is imported by now stays: the garbage collector need not walk through torch again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_configure(config: pytest.Config) -> None:
    """A warning is an error here; learners are warned of a folder that is read-only, and go on."""
    config.addinivalue_line("filterwarnings", "error")
    draw_seed()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the gates have left out, and why."""
    reports = [each for some in terminalreporter.stats.values() for each in some]
    calls = [each for each in reports if getattr(each, "when", "") == "call"]
    for line in told(one for each in calls for one in each.user_properties):
        terminalreporter.write_line(line)
