"""The pictures of the README and its guides, made from real runs and from the handouts.

`python -m kata.handouts.readme_pictures [NAME …]` makes them again: all of them, or these.
"""

import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.text import Text

from kata.course.curriculum import ROOT, exercises
from kata.files import write_file
from kata.handouts.figures.answers import entry
from kata.handouts.paper.typesetting import png
from kata.handouts.screencast import (
    COLUMNS,
    GROUND,
    HEIGHT,
    ROWS,
    WIDTH,
    Film,
    Frame,
    Line,
    Terminal,
    Typed,
    screens,
)
from kata.learner.watcher import KEYS

DOCS = ROOT / "docs"
PAPER = "a4"
FOLDER, EX05 = "exercises", exercises()["ex05_causal_masks"]
MISTAKE, FUNCTION = "scores-fill-dropped", "mask_scores"
RUN = f"pytest {FOLDER}/{EX05.filename}"
COLUMNS_OF_RUN = 88
# Like rich's own form, without a font from the network.
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

WATCH = "kata watch --core"
DONE = ("ex01", "ex02", "ex04")  # exercises that this learner has solved before
TITLE = "kata watch: a wrong answer is saved, and named"
ABOUT = (
    "An editor above a terminal in which kata watch runs. A function in which the result of "
    "masked_fill is dropped is typed and saved. The terminal says which claim fails, names the "
    "mistake, and shows the expected weights beside those that came back. The key h brings a hint. "
    "The function is repaired and saved, and all claims hold."
)
# Seconds to read in, and seconds of typing.
BOARD, VERDICT, HINT, END, PAUSE, LETTER = 5.0, 13.0, 5.5, 5.0, 0.7, 0.045
STILL = 3  # the frame with the mistake, its map and the hint
EDGE, BAR, GAP = 16, 26, 7  # pixels
CODE_TOP = BAR + GAP
CODE_ROWS = 5
TERMINAL_TOP = CODE_TOP + CODE_ROWS * HEIGHT + GAP
SCREEN_TOP = TERMINAL_TOP + BAR + 4
ACROSS, DOWN = COLUMNS * WIDTH + 2 * EDGE, SCREEN_TOP + (ROWS - 1) * HEIGHT + GAP
NUMBERS = 4  # columns of the line numbers
BARS, BORDER = "#1f2630", "#3d444d"
KEYWORD = re.compile(r"\b(def|return|raise)\b")


def main() -> None:
    """Write the pictures whose names are on the command line, or all of them."""
    for name in sys.argv[1:] or PICTURES:
        content = PICTURES[name]()
        write_file(DOCS / name, content)


# ---- the learner's file
@dataclass(frozen=True)
class Story:
    """The learner's file at three times."""

    stub: str
    wrong: str
    right: str


@cache
def story() -> Story:
    """The file of an exercise of which one function is missing, then wrong, then right."""
    ((right, wrong),) = entry(EX05.slug, MISTAKE).change
    done = re.sub(rf"({re.escape(right)})  #.*", r"\1", EX05.solution.read_text(encoding="utf-8"))
    stub = re.search(rf"raise .*{FUNCTION}: .*", EX05.stub.read_text(encoding="utf-8"))
    assert stub
    return Story(done.replace(right, stub[0]), done.replace(right, wrong), done)


def _save(home: Path, text: str) -> None:
    write_file(home / FOLDER / EX05.filename, text)


# ---- failing-run.svg
def failing_run() -> str:
    """Draw what a learner sees whose mask does nothing."""
    console = Console(record=True, width=COLUMNS_OF_RUN, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(output_of_run()))
    return console.export_svg(title="", code_format=FORM, unique_id="run")


def output_of_run() -> str:
    """The command and its output, with its colours."""
    with tempfile.TemporaryDirectory() as home:
        _save(Path(home), story().wrong)
        with Terminal(Path(home), RUN, COLUMNS_OF_RUN) as terminal:
            output = terminal.wait()
    report = output[output.index("\n\n=") : output.rindex("-v shows")]
    return f"$ {RUN}\n{report.strip()}\n"


# ---- watch.svg
def watch() -> str:
    """Draw `kata watch` on a mistake, from the stub to its repair."""
    head, bar = f'<rect width="{ACROSS}"', f'fill="{BARS}"/>'
    background = (
        f'{head} height="{DOWN}" rx="8" fill="{GROUND}"/>{head} height="{BAR}" rx="8" {bar}'
        f'{head} y="{TERMINAL_TOP}" height="{BAR}" {bar}'
    )
    size = f'x="0.5" y="0.5" width="{ACROSS - 1}" height="{DOWN - 1}"'
    border = f'<rect {size} rx="8" fill="none" stroke="{BORDER}"/>'
    return Film(frames(), STILL).svg(ACROSS, DOWN, background, border, (TITLE, ABOUT))


def frames() -> list[Frame]:
    """The board, a mistake typed, its verdict, a hint, the repair typed, the end."""
    board, verdict, end = _screens_of_watch()
    keys = next(row for row, line in enumerate(verdict) if KEYS in line)
    board, message = [f"$ {WATCH}", *board], verdict[: keys + 1]
    stub, wrong, right = (code(text) for text in (story().stub, story().wrong, story().right))
    return [
        Frame(BOARD, _lines(stub, board)),
        _typing(stub, wrong, board),
        Frame(VERDICT, _lines(wrong, message)),
        Frame(HINT, _lines(wrong, verdict, key="h")),
        _typing(wrong, right, verdict),
        Frame(END, _lines(right, end)),
    ]


def _screens_of_watch() -> list[list[str]]:
    """Record a session: the board, the verdict with a hint, the end."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _lay_out(home)
        with Terminal(home, WATCH) as terminal:
            # The keys stand above the board as well.
            terminal.wait_for(KEYS, EX05.slug, KEYS)
            _save(home, story().wrong)
            terminal.wait_for(KEYS)
            terminal.press("h")
            terminal.wait_for(f"{EX05.slug}, hint 1")
            _save(home, story().right)
            terminal.wait_for(KEYS)
            terminal.press("q")
            return screens(terminal.wait())


def _lay_out(home: Path) -> None:
    """Lay out a learner's folder in which pytest has run."""
    for exercise in exercises().values():
        answer = exercise.solution if exercise.short in DONE else exercise.stub
        if exercise.core:
            write_file(home / FOLDER / exercise.filename, answer.read_bytes())
    _save(home, story().stub)
    with Terminal(home, f"pytest -q {FOLDER}") as terminal:
        terminal.wait()


def code(text: str) -> dict[int, str]:
    """The lines of the function by their numbers, with its docstring folded."""
    lines = dict(enumerate(text.splitlines(), 1))
    first = next(at for at, line in lines.items() if line.startswith(f"def {FUNCTION}("))
    quotes = [at for at, line in lines.items() if at > first and '"""' in line]
    end = next(at for at in lines if at > quotes[1] and not lines[at])
    return {at: lines[at] for at in (first, first + 1, *range(quotes[1] + 1, end))}


def _typing(before: dict[int, str], after: dict[int, str], screen: Sequence[str]) -> Frame:
    """A frame in which the new lines are typed, one after the other."""
    typed, begin = [], PAUSE
    # The fold takes a row.
    for row, (number, line) in enumerate(after.items(), 1):
        old = before.get(number, "").strip()
        if line.strip() != old:
            typed.append(_typed(CODE_TOP + HEIGHT * row, old, line, begin))
            begin += typed[-1].seconds
    unchanged = {at: line if before.get(at) == line else "" for at, line in after.items()}
    return Frame(begin + PAUSE, _lines(unchanged, screen, saved=False), typed)


def _typed(y: int, old: str, line: str, begin: float) -> Typed:
    """The typing of a whole line, or of what comes before the old one."""
    text = line.strip()
    rest = old if old and text.endswith(old) else ""
    new = text.removesuffix(rest)
    x = EDGE + WIDTH * (NUMBERS + line.index(text))
    return Typed(Line(x, y, painted(new)), painted(rest), begin, LETTER * len(new))


def _lines(
    code: dict[int, str], screen: Sequence[str], *, key: str = "", saved: bool = True
) -> list[Line]:
    terminal = [Line(EDGE, SCREEN_TOP + HEIGHT * row, line) for row, line in enumerate(screen)]
    return [*_bars(key, saved), *_editor(code), *terminal]


def _bars(key: str, saved: bool) -> Iterator[Line]:
    state = "\033[2msaved" if saved else "\033[33m● not saved"
    yield Line(EDGE, 3, f"\033[1m{FOLDER}/{EX05.filename}")
    yield _flush_right(3, state)
    yield Line(EDGE, TERMINAL_TOP + 3, "\033[1mterminal")
    if key:
        yield _flush_right(TERMINAL_TOP + 3, f"key \033[1;48;5;238m {key} ")


def _flush_right(y: int, ansi: str) -> Line:
    return Line(ACROSS - EDGE - WIDTH * len(Line(0, 0, ansi).cells), y, ansi)


def _editor(code: dict[int, str]) -> Iterator[Line]:
    """The lines of the code, with a row that stands for the folded docstring."""
    rows: list[tuple[str, str]] = [(str(at), line) for at, line in code.items()]
    rows.insert(2, ("⋯", ""))
    for row, (number, line) in enumerate(rows):
        cut = line if len(line) + NUMBERS <= COLUMNS else f"{line[: COLUMNS - NUMBERS - 1]}…"
        yield Line(EDGE, CODE_TOP + HEIGHT * row, f"\033[2m{number:>2}\033[0m  {painted(cut)}")


def painted(line: str) -> str:
    """The line in the colours of an editor."""
    if '"""' in line:
        return f"\033[2m{line}\033[0m"
    return KEYWORD.sub("\033[35m\\1\033[0m", line)


# ---- the handouts
def losses() -> str:
    """Draw how many wrong answers train as well as the right one."""
    from kata.handouts.site.pictures import picture

    return picture()


def sheet() -> bytes:
    """Draw the front of a learner's sheet."""
    from kata.handouts.paper.sheets import data

    return png("sheet.typ", data(exercises()["ex07_heads"]), PAPER, ppi=80)


def poster() -> bytes:
    """Draw the poster."""
    from kata.handouts.paper.poster import data

    return png("poster.typ", data(), PAPER, ppi=36)


PICTURES: dict[str, Callable[[], str | bytes]] = {
    "watch.svg": watch,
    "failing-run.svg": failing_run,
    "losses.svg": losses,
    "sheet.png": sheet,
    "poster.png": poster,
}

if __name__ == "__main__":
    main()
