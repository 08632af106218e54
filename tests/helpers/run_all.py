"""Runs notebooks in IPython, as Jupyter's "Run All" does: a list of cells in, a result out.

A program of its own, since a shell takes over the process that it is in.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any


def main() -> None:
    """Read notebooks as JSON, write what `softmax()` gives after each of them."""
    from IPython.core.interactiveshell import InteractiveShell  # takes long

    shell = InteractiveShell.instance()
    answers = {name: after(shell, cells) for name, cells in json.load(sys.stdin).items()}
    json.dump(answers, sys.stdout)


def after(shell: Any, cells: list[str]) -> str:
    shell.reset(new_session=True)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        for each in cells:
            shell.run_cell(each)
        return result(shell.user_ns)


def result(names: dict[str, object]) -> str:
    """What the function returns, or the error that it meets."""
    try:
        return repr(names["softmax"]())  # type: ignore[operator]
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    main()
