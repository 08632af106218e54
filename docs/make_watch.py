"""Make docs/watch.svg: `kata watch` on a mistake, from the stub to its repair, from a real run."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docs.animation import Film, Frame, Setting, Typed
from docs.coloured import GROUND, HEIGHT, WIDTH, Line
from docs.watched import COLUMNS, COMMAND, ROWS, Session, environment, screens
from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.learner.watcher import KEYS

PICTURE = Path(__file__).with_name("watch.svg")
FOLDER, EX05 = "exercises", exercises()["ex05_causal_masks"]
MISTAKE, FUNCTION = "scores-fill-dropped", "mask_scores"
DONE = ("ex01", "ex02", "ex04")  # by this learner, before
TITLE = "kata watch: a wrong answer is saved, and named"
ABOUT = (
    "An editor above a terminal in which kata watch runs. A function in which the result of "
    "masked_fill is dropped is typed and saved. The terminal says which claim fails, names the "
    "mistake, and shows the expected weights beside those that came back. The key h brings a hint. "
    "The function is repaired and saved, and all claims hold."
)
# Seconds to read in, and of what is typed.
BOARD, VERDICT, HINT, END, PAUSE, LETTER = 5.0, 13.0, 5.5, 5.0, 0.7, 0.045
STILL = 3  # the frame with everything: the mistake, its map, the hint

EDGE, BAR, GAP = 16, 26, 7  # pixels
CODE = BAR + GAP  # where the code begins
CODE_ROWS = 5
SECOND = CODE + CODE_ROWS * HEIGHT + GAP  # where the terminal begins
SCREEN = SECOND + BAR + 4
ACROSS, DOWN = COLUMNS * WIDTH + 2 * EDGE, SCREEN + (ROWS - 1) * HEIGHT + GAP
NUMBERS = 4  # columns of the numbers beside the code
BARS, BORDER = "#1f2630", "#3d444d"
KEYWORD = re.compile(r"\b(def|return|raise)\b")


# ---- the session


@dataclass(frozen=True)
class Story:
    """The learner's file at three times."""

    stub: str
    wrong: str
    right: str


@cache
def story() -> Story:
    """The mistake is one of the catalogue's; the rest of the file is done."""
    mistake = next(each for each in bugs(EX05) if each.slug == MISTAKE)
    ((right, wrong),) = mistake.change
    done = re.sub(rf"({re.escape(right)})  #.*", r"\1", EX05.solution.read_text(encoding="utf-8"))
    stub = re.search(rf"raise .*{FUNCTION}: .*", EX05.stub.read_text(encoding="utf-8"))
    assert stub
    return Story(done.replace(right, stub[0]), done.replace(right, wrong), done)


def recorded() -> list[list[str]]:
    """The screens of a real session: the board, the verdict with a hint, the end."""
    with tempfile.TemporaryDirectory() as home:
        _begin(Path(home))
        with Session(Path(home)) as session:
            session.until(KEYS, EX05.slug, KEYS)  # they stand above the board, too
            _save(Path(home), story().wrong)
            session.until(KEYS)
            session.press("h")
            session.until(f"{EX05.slug}, hint 1")
            _save(Path(home), story().right)
            session.until(KEYS)
            session.end()
    return screens(session.written)


def _begin(home: Path) -> None:
    """A folder like that of `kata init`, as far as it is needed, in which pytest has run."""
    (home / FOLDER).mkdir()
    for each in exercises().values():
        answer = each.solution if each.short in DONE else each.stub
        if each.core:
            (home / FOLDER / each.filename).write_bytes(answer.read_bytes())
    _save(home, story().stub)
    command = [sys.executable, "-m", "pytest", "-q", FOLDER]
    subprocess.run(command, cwd=home, env=environment(), check=False, capture_output=True)


def _save(home: Path, text: str) -> None:
    """As editors do it: nobody ever finds half of the file."""
    other = home / "saved"
    other.write_text(text, encoding="utf-8")
    other.replace(home / FOLDER / EX05.filename)


# ---- its frames


def frames() -> list[Frame]:
    """The board, the mistake is typed, its verdict, a hint, it is repaired, the end."""
    board, verdict, end = recorded()
    keys = next(at for at, line in enumerate(verdict) if KEYS in line)
    board, told = [f"$ {COMMAND}", *board], verdict[: keys + 1]
    was, wrong, right = (code(text) for text in (story().stub, story().wrong, story().right))
    return [
        Frame(BOARD, _both(was, board)),
        _typing(was, wrong, board),
        Frame(VERDICT, _both(wrong, told)),
        Frame(HINT, _both(wrong, verdict, key="h")),
        _typing(wrong, right, verdict),
        Frame(END, _both(right, end)),
    ]


def code(text: str) -> dict[int, str]:
    """The function's lines by their numbers, with its docstring folded."""
    lines = dict(enumerate(text.splitlines(), 1))
    first = next(at for at, line in lines.items() if line.startswith(f"def {FUNCTION}("))
    quotes = [at for at, line in lines.items() if at > first and '"""' in line]
    end = next(at for at in lines if at > quotes[1] and not lines[at])
    return {at: lines[at] for at in (first, first + 1, *range(quotes[1] + 1, end))}


def _typing(before: dict[int, str], after: dict[int, str], screen: Sequence[str]) -> Frame:
    """The lines that are new are typed, one after the other."""
    typed, begin = [], PAUSE
    for row, (number, line) in enumerate(after.items(), 1):  # one more for the fold
        old = before.get(number, "").strip()
        if line.strip() != old:
            typed.append(_typed(CODE + HEIGHT * row, old, line, begin))
            begin += typed[-1].seconds
    left = {at: line if before.get(at) == line else "" for at, line in after.items()}
    return Frame(begin + PAUSE, _both(left, screen, saved=False), typed)


def _typed(y: int, old: str, line: str, begin: float) -> Typed:
    """The whole line, or what comes before the old one."""
    text = line.strip()
    rest = old if old and text.endswith(old) else ""
    new = text.removesuffix(rest)
    x = EDGE + WIDTH * (NUMBERS + line.index(text))
    return Typed(Line(x, y, painted(new)), painted(rest), begin, LETTER * len(new))


def _both(
    shown: dict[int, str], screen: Sequence[str], *, key: str = "", saved: bool = True
) -> list[Line]:
    return [*_bars(key, saved), *_editor(shown), *_terminal(screen)]


def _bars(key: str, saved: bool) -> Iterator[Line]:
    state = "\033[2msaved" if saved else "\033[33m● not saved"
    yield Line(EDGE, 3, f"\033[1m{FOLDER}/{EX05.filename}")
    yield _to_the_right(3, state)
    yield Line(EDGE, SECOND + 3, "\033[1mterminal")
    if key:
        yield _to_the_right(SECOND + 3, f"key \033[1;48;5;238m {key} ")


def _to_the_right(y: int, ansi: str) -> Line:
    return Line(ACROSS - EDGE - WIDTH * len(Line(0, 0, ansi).cells), y, ansi)


def _editor(shown: dict[int, str]) -> Iterator[Line]:
    """A line that is left out stands for the rest of the docstring."""
    rows: list[tuple[str, str]] = [(str(at), line) for at, line in shown.items()]
    rows.insert(2, ("⋯", ""))
    for row, (number, line) in enumerate(rows):
        cut = line if len(line) + NUMBERS <= COLUMNS else f"{line[: COLUMNS - NUMBERS - 1]}…"
        yield Line(EDGE, CODE + HEIGHT * row, f"\033[2m{number:>2}\033[0m  {painted(cut)}")


def painted(line: str) -> str:
    """With the colours of an editor."""
    if '"""' in line:
        return f"\033[2m{line}\033[0m"
    return KEYWORD.sub("\033[35m\\1\033[0m", line)


def _terminal(screen: Sequence[str]) -> Iterator[Line]:
    for row, line in enumerate(screen):
        yield Line(EDGE, SCREEN + HEIGHT * row, line)


# ---- the picture


def picture() -> str:
    """The whole file."""
    head, bar = f'<rect width="{ACROSS}"', f'fill="{BARS}"/>'
    behind = (
        f'{head} height="{DOWN}" rx="8" fill="{GROUND}"/>{head} height="{BAR}" rx="8" {bar}'
        f'{head} y="{SECOND}" height="{BAR}" {bar}'
    )
    size = f'x="0.5" y="0.5" width="{ACROSS - 1}" height="{DOWN - 1}"'
    before = f'<rect {size} rx="8" fill="none" stroke="{BORDER}"/>'
    return Film(frames(), STILL).svg(Setting(ACROSS, DOWN, behind, before, TITLE, ABOUT))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
