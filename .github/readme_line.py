"""Runs the line of README.md that sets everything up, so that nothing else has to repeat it.

`python .github/readme_line.py learner` runs the line for learners, `maintainer` that for
maintainers; with `--set-up` without its last command, which runs tests. The status is the line's.
"""

import re
import subprocess
import sys
from pathlib import Path

READERS = ["learner", "maintainer"]  # in the order of their lines
LINES = {False: r"^(python3 -m venv .*)$", True: r"On Windows: `(py -m venv [^`]*)`"}
SHELLS = {False: ["bash", "-c"], True: ["powershell", "-Command"]}
ENDS = {False: " && ", True: "; "}  # of a command


def line(text: str, reader: str, *, windows: bool) -> str:
    """The set-up line for this reader in the text of README.md."""
    found: list[str] = re.findall(LINES[windows], text, re.MULTILINE)
    if len(found) != len(READERS):
        sys.exit(f"README.md has {len(found)} set-up lines, expected {len(READERS)}")
    return found[READERS.index(reader)]


def main(reader: str, *options: str) -> int:
    """Print the line and run it."""
    windows = sys.platform == "win32"
    wanted = line(Path("README.md").read_text(encoding="utf-8"), reader, windows=windows)
    if "--set-up" in options:
        wanted = wanted.rpartition(ENDS[windows])[0]
    print(wanted, flush=True)
    return subprocess.run([*SHELLS[windows], wanted], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
