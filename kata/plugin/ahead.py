"""When a claim fails, the others of its file are judged at once: together they name the mistake.

Each of them is called as pytest would call it, so that what it prints belongs to it. What came of
it is kept, and happens again when pytest comes to it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from kata.plugin.items import ClaimItem

STOPPING = KeyboardInterrupt, pytest.exit.Exception


def judge_the_rest(failed: ClaimItem) -> None:
    """Judge what this run will judge of the same file anyway; then look for the mistake."""
    debugs = failed.config.getoption("usepdb")  # and stops at each claim in turn
    if not debugs and not failed.ahead:
        _look_ahead(failed)
    failed.file.diagnose()


def _look_ahead(failed: ClaimItem) -> None:
    called = _caller(failed.config)
    with _logging_to_stderr():
        for item in failed.session.items:
            if isinstance(item, ClaimItem) and item.file is failed.file and not item.was_called:
                item.ahead = pytest.CallInfo.from_call(partial(called, item=item), when="call")
                if item.ahead.excinfo and isinstance(item.ahead.excinfo.value, STOPPING):
                    return


def _caller(config: pytest.Config) -> Callable[..., None]:
    """What calls an item: all of pytest but its logging, which works with items set up only."""
    plugins = config.pluginmanager
    hook: Callable[..., None] = plugins.subset_hook_caller(
        "pytest_runtest_call", [plugins.get_plugin("logging-plugin")]
    )
    return hook


@contextmanager
def _logging_to_stderr() -> Iterator[None]:
    """Where Python itself sends warnings that nobody handles, and pytest captures them."""
    root, handler = logging.getLogger(), logging.lastResort or logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
