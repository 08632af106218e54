"""A program: pytest in forks of a Python that has imported nothing else.

It reads folders and words, a run in each line of its input, and answers each with what came of it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path

OURS = {"kata.plugin", "timeout"}
Order = tuple[Path, Sequence[str]]  # the folder of a run, and its words


@dataclass(frozen=True)
class Fresh:
    """The exit status and the output of a run, and the modules that it has imported."""

    status: int
    out: str
    imported: frozenset[str]


def runs(*orders: Order) -> list[Fresh]:
    """What comes of these; without forks each has a Python of its own."""
    lines = [json.dumps([str(folder), *words]) for folder, words in orders]
    batches = ["\n".join(lines)] if hasattr(os, "fork") else lines
    answers = [answer for batch in batches for answer in _answers(batch)]
    return [Fresh(status, out, frozenset(names)) for status, out, names in map(json.loads, answers)]


def _answers(batch: str) -> list[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    settings = {"PYTHONIOENCODING": "utf-8", "COLUMNS": "200"}
    done = subprocess.run([sys.executable, __file__], input=batch, capture_output=True, check=True,
                          encoding="utf-8", env={**inherited, **settings})  # fmt: skip
    return done.stdout.splitlines()


def _serve() -> None:
    import pytest

    plugins = {plugin.name for plugin in entry_points(group="pytest11")}
    # Some of the others import much.
    off = [f"-pno:{name}" for name in plugins - OURS]
    for line in sys.stdin.read().splitlines():
        if hasattr(os, "fork") and os.fork():
            os.wait()
            continue
        folder, *words = json.loads(line)
        os.chdir(folder)
        sys.path[0] = folder
        with redirect_stdout(StringIO()) as out:
            status = pytest.main([*words, *off])
        print(json.dumps([status, out.getvalue(), [*sys.modules]]), flush=True)
        os._exit(0)


if __name__ == "__main__":
    _serve()
