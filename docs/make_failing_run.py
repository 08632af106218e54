"""Make docs/failing-run.svg: what a learner whose mask does nothing sees, from a real run."""

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import exercises

PICTURE = Path(__file__).with_name("failing-run.svg")
COMMAND = "pytest exercises/ex05_causal_masks.py"
WIDTH = 88
EX05, MISTAKE = exercises()["ex05_causal_masks"], "scores-fill-dropped"
# Like rich's own, without a font from the network.
FORM = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img"
     aria-label="A failing run in a terminal">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
.{unique_id}-title {{ font-size: 18px; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


def run() -> str:
    """The output of the program, with its colours and without what differs between runs."""
    mistake = next(each for each in bugs(EX05) if each.slug == MISTAKE)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "exercises")
        folder.mkdir()
        (folder / EX05.filename).write_text(wrong_answer(EX05, mistake), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", *COMMAND.split(), "--color=yes"],
            cwd=home, capture_output=True, encoding="utf-8", check=False, env=_environment(),
        )  # fmt: skip
    shown = done.stdout[done.stdout.index("\n\n=") : done.stdout.rindex("-v shows")]
    return f"$ {COMMAND}\n{shown.strip()}\n"


def _environment() -> dict[str, str]:
    mine = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV", "CI"))}
    return {**mine, "COLUMNS": str(WIDTH), "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color"}


def plain(text: str) -> str:
    """Without colours and spaces, which an SVG writes differently."""
    return re.sub(r"\s|\x1b\[[\d;]*m", "", text)


def main() -> None:
    """Write the picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(run()))
    PICTURE.write_text(
        console.export_svg(title="", code_format=FORM, unique_id="run"), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
