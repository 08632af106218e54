"""When a claim fails, the others of its file are judged at once: together they name the mistake.

Each of them is called as pytest would call it, so that what it prints belongs to it. What came of
it is kept, and happens again when pytest comes to it.
"""

from collections.abc import Callable
from functools import partial

import pytest

from kata.plugin.items import ClaimItem

STOPPING = KeyboardInterrupt, pytest.exit.Exception


def judge_the_rest(failed: ClaimItem) -> None:
    """Judge what this run will judge of the same file anyway; then look for the mistake."""
    if not failed.config.getoption("usepdb"):  # a debugger stops at each claim in turn
        _look_ahead(failed)
    failed.file.diagnose()


def _look_ahead(failed: ClaimItem) -> None:
    ready = _setup(failed.config)
    for each in failed.session.items:
        if isinstance(each, ClaimItem) and each.file is failed.file and not each.was_called:
            each.ahead = pytest.CallInfo.from_call(partial(_call, each, ready), when="call")
            if each.ahead.excinfo and isinstance(each.ahead.excinfo.value, STOPPING):
                return


def _call(item: ClaimItem, ready: Callable[..., object]) -> None:
    ready(item=item)
    item.ihook.pytest_runtest_call(item=item)


def _setup(config: pytest.Config) -> Callable[..., object]:
    """What plugins prepare for a call, without pytest's own stack of what is set up."""
    plugins = config.pluginmanager
    hook: Callable[..., object] = plugins.subset_hook_caller(
        "pytest_runtest_setup", [plugins.get_plugin("runner")]
    )
    return hook
