"""docs/watch.svg shows what `kata watch` does, can be read, and stays small."""

import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from xml.etree import ElementTree

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

from docs import make_watch, watched
from docs.animation import Film, Frame, Setting, Typed
from docs.coloured import GROUND, INK, Line, drawn
from docs.make_watch import BARS, PICTURE

DRAWN = PICTURE.read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 40_000  # bytes
AT_A_TIME = 5  # words in a second: quick readers manage in one turn, others in the next
READABLE = 4.5  # times as light: WCAG's AA
SETTING = Setting(90, 19, "", "", "<title>", "about")


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    return make_watch.frames()


def text(line: Line) -> str:
    return "".join(cell.letter for cell in line.cells)


def test_the_picture_is_what_the_program_shows_today(
    frames: list[Frame], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m docs.make_watch` makes it again."""
    monkeypatch.setattr(make_watch, "frames", lambda: frames)

    assert make_watch.picture() == DRAWN


def test_the_session_is_told_from_the_stub_to_the_repair(frames: list[Frame]) -> None:
    shown = ["\n".join(map(text, frame.lines)) for frame in frames]

    assert len(frames) == 6
    assert 'raise NotImplementedError("ex05 mask_scores' in shown[0]
    assert "$ kata watch --core" in shown[0]
    assert "● not saved" in shown[1]
    assert "the result of masked_fill is dropped" in shown[2]
    assert ">.78<" in shown[2]
    assert "hint 1 of" not in shown[2]
    assert "hint 1 of" in shown[make_watch.STILL]
    assert "✓ ex05_causal_masks: 71 of 71 claims hold" in shown[5]
    assert all("raise Not" not in each for each in shown[1:])


def test_there_is_time_to_read_the_verdict_the_hint_and_the_end(frames: list[Frame]) -> None:
    for at in (2, 3, 5):
        before = {text(line) for frame in frames[:at] for line in frame.lines}
        told = [line for line in frames[at].lines if line.y > make_watch.SECOND]
        new = {line for line in told if text(line) not in before}
        words = re.findall(r"[A-Za-z_]{2,}", "\n".join(map(text, new)))
        shown = takewhile(lambda frame, new=new: new <= {*frame.lines}, frames[at:])
        assert len(words) / sum(frame.seconds for frame in shown) <= AT_A_TIME, words


def test_every_letter_stands_out_from_what_is_behind_it(frames: list[Frame]) -> None:
    for line in [line for frame in frames for line in frame.lines]:
        for cell in line.cells:
            if cell.letter.strip():
                assert contrast(cell.ink, cell.behind or GROUND) >= READABLE, line
                assert cell.behind or contrast(cell.ink, BARS) >= READABLE, line


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(lightness, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def lightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_it_is_small_and_told_to_those_who_cannot_see_it() -> None:
    picture = ElementTree.fromstring(DRAWN)
    named = {each.attrib["id"]: each.text for each in picture if "id" in each.attrib}

    assert len(DRAWN.encode()) < LARGEST
    assert picture.attrib["role"] == "img"
    assert [*named.values()] == [make_watch.TITLE, make_watch.ABOUT]
    assert picture.attrib["aria-labelledby"].split() == [*named]


def at_rest(picture: str) -> Iterator[str]:
    """The texts of a picture whose animations are not shown."""
    hidden = {*re.findall(r"\.(a\d+)\{opacity:0", picture)}
    for group in ElementTree.fromstring(picture).findall(f"{SVG}g"):
        if group.attrib.get("class") not in hidden:
            yield from ("".join(each.itertext()) for each in group.iter(f"{SVG}text"))


def test_without_motion_it_shows_the_mistake_its_map_and_the_hint() -> None:
    shown = "\n".join(at_rest(DRAWN)).replace("\N{NO-BREAK SPACE}", " ")

    assert "{*{animation:none!important}}" in DRAWN
    assert "the result of masked_fill is dropped" in shown
    assert ">.78<" in shown
    assert "hint 1 of" in shown
    assert "71 of 71" not in shown
    assert "not saved" not in shown


def test_what_stands_in_two_frames_is_there_once() -> None:
    both, first = Line(0, 0, "both"), Line(0, 19, "first")
    film = Film([Frame(1, [both, first]), Frame(3, [both])], still=1).svg(SETTING)

    assert film.count("both") == film.count("first") == 1
    assert "@keyframes a0{0%{opacity:1}25%{opacity:0}}" in film
    assert [*at_rest(film)] == ["both"]


def test_a_typed_text_is_uncovered_letter_by_letter() -> None:
    typed = Typed(Line(9, 0, "return "), "x", 1, 2)
    film = Film([Frame(4, [], [typed]), Frame(4, [])], still=1).svg(SETTING)

    assert "12.5%{transform:none;animation-timing-function:steps(7)}" in film
    assert "37.5%{transform:translateX(63px)}" in film


def test_a_line_keeps_its_columns_colours_and_letters() -> None:
    line = drawn([Line(16, 0, "  \033[1;31m<a>  b\033[0m \033[48;5;25mc\033[0m ")])

    assert line == (
        '<path fill="#005faf" d="M97 0h9v19h-9z"/><text x="34" y="14" textLength="72">'
        '<tspan fill="#ff7b72" font-weight="bold">&lt;a&gt;\xa0\xa0b</tspan>\xa0c</text>'
    )
    assert contrast(INK, GROUND) > READABLE


def test_a_cleared_screen_and_rows_that_scroll_away_are_not_shown() -> None:
    rows = "\n".join(map(str, range(40)))

    assert watched.screens(f"one\n\n\n\033[H\033[Jtwo\n{rows}\n") == [
        ["one"], [str(at) for at in range(40 - watched.ROWS + 1, 40)],
    ]  # fmt: skip


def test_times_are_left_out_as_the_program_does_on_a_narrow_screen() -> None:
    assert watched.TIMES.sub("", "17:51:46  ✓ ex04: 26 of 26 claims hold  (0.06 s)") == (
        "✓ ex04: 26 of 26 claims hold"
    )
