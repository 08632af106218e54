"""What holds for the tests of the kata itself, and not for learners who run pytest in its folder.

All that tests start is stopped by Ctrl-C, as it is for a person: a shell that was told to work in
the background has Ctrl-C ignored, in all that it starts.
"""

import gc
import os
import signal
import subprocess
import sys
from importlib import import_module
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType, SimpleNamespace

import pytest

from kata.course.curriculum import ROOT
from kata.interpreter import SAFE
from tests.helpers.left_out import draw_seed, told
from tests.helpers.sampling import everything

MANY = 300  # tests
HEAVY = {"typst", "IPython", "distributed", "nbformat", "playwright"}
IMPORTED = pytest.StashKey[set[str]]()  # those of them that collecting has imported

signal.signal(signal.SIGINT, signal.default_int_handler)
# Threads of torch that wait for one another take ten times as long where other processes are busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Each of the many processes that tests start, and each run, would compile everything anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What the kata keeps for a user is not kept for whoever runs the tests; all workers share it.
STATE = "" if "PYTEST_XDIST_WORKER" in os.environ else mkdtemp(prefix="kata-state-")
os.environ["XDG_STATE_HOME"] = STATE or os.environ["XDG_STATE_HOME"]
# jsonschema would compile grammars for two seconds, for a kind of address that no schema asks for.
sys.modules.setdefault("rfc3987_syntax", None)


class Compiler(ModuleType):
    """Stands for torch's compiler until anybody asks it for more than that it does nothing.

    The first optimizer of a process would import it for four seconds, and not need it.
    """

    disable = staticmethod(lambda function, *_, **__: function)
    graph_break = staticmethod(lambda: None)
    config = SimpleNamespace(error_on_nested_fx_trace=True)  # asked by torch.utils.checkpoint

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        sys.modules.pop(self.__name__, None)
        return getattr(import_module(self.__name__), name)


sys.modules.setdefault("torch._dynamo", Compiler("torch._dynamo"))
collect_ignore = ["proofs"]  # model proofs are named like exercises; tests/kata judges them


def pytest_collection_finish(session: pytest.Session) -> None:
    """What is imported by now stays: the garbage collector need not walk through torch again.

    A run of many tests will import torch, and begins with it, here and in the warm process.
    """
    session.config.stash[IMPORTED] = HEAVY & set(sys.modules)
    if len(session.items) > MANY and not session.config.option.collectonly:
        from kata.judging.judge import import_torch  # noqa: PLC0415  # not before options are read
        from tests.helpers.warm import forks  # noqa: PLC0415

        forks()
        import_torch()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look for garbage once: pytest does so five times, and Python when it ends."""
    if STATE:
        rmtree(STATE, ignore_errors=True)
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """A command that was called in this process has told all children of it; no other test has."""
    os.environ.pop(SAFE, None)


def pytest_configure(config: pytest.Config) -> None:
    """A warning is an error here; learners are warned of a folder that is read-only, and go on."""
    config.addinivalue_line("filterwarnings", "error")
    config.addinivalue_line("markers", "release: takes long, and is tried by tests/long alone")
    draw_seed()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a release needs."""
    late = [item for item in items if item.get_closest_marker("release") and not everything()]
    config.hook.pytest_deselected(items=late)
    items[:] = [item for item in items if item not in late]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the gates have left out, and why; and why tests may fail where somebody has learned."""
    reports = [each for some in terminalreporter.stats.values() for each in some]
    calls = [each for each in reports if getattr(each, "when", "") == "call"]
    for line in told(one for each in calls for one in each.user_properties):
        terminalreporter.write_line(line)
    if terminalreporter.stats.get("failed") and (begun := _begun()):
        terminalreporter.write_line(f"tests expect exercises that nobody has begun, not {begun}")


def _begun() -> str:
    """The files in `exercises/` that are not as in the repository."""
    git = ["git", "-C", str(ROOT), "status", "--porcelain", "--", "exercises"]
    listed = subprocess.run(git, check=False, capture_output=True, encoding="utf-8").stdout
    return ", ".join(line[3:] for line in listed.splitlines())
