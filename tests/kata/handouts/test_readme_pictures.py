"""docs/watch.svg is small and described; tests/system/test_watch_picture.py makes it."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from kata.handouts.readme_pictures import ABOUT, DOCS, TITLE
from kata.handouts.screencast import (
    GROUND,
    INK,
    ROWS,
    TIMES,
    Film,
    Frame,
    Line,
    Typed,
    elements,
    screens,
)

DRAWN = (DOCS / "watch.svg").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 40_000  # bytes
READABLE = 4.5  # times as light: WCAG's AA
SETTING = (90, 19, "", "", ("<title>", "about"))


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(lightness, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def lightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_it_is_small_and_described_to_those_who_cannot_see_it() -> None:
    picture = ElementTree.fromstring(DRAWN)
    named = {part.attrib["id"]: part.text for part in picture if "id" in part.attrib}

    assert len(DRAWN.encode()) < LARGEST
    assert picture.attrib["role"] == "img"
    assert [*named.values()] == [TITLE, ABOUT]
    assert picture.attrib["aria-labelledby"].split() == [*named]


def at_rest(picture: str) -> Iterator[str]:
    """The texts of a picture whose animations are not shown."""
    hidden = {*re.findall(r"\.(a\d+)\{opacity:0", picture)}
    for group in ElementTree.fromstring(picture).findall(f"{SVG}g"):
        if group.attrib.get("class") not in hidden:
            yield from ("".join(text.itertext()) for text in group.iter(f"{SVG}text"))


def test_without_motion_it_shows_the_mistake_its_map_and_the_hint() -> None:
    still = "\n".join(at_rest(DRAWN)).replace("\N{NO-BREAK SPACE}", " ")

    assert "{*{animation:none!important}}" in DRAWN
    assert "the result of masked_fill is dropped" in still
    assert ">.78<" in still
    assert "hint 1 of" in still
    assert "73 of 73" not in still
    assert "not saved" not in still


def test_what_stands_in_two_frames_is_there_once() -> None:
    both, first = Line(0, 0, "both"), Line(0, 19, "first")
    film = Film([Frame(1, [both, first]), Frame(3, [both])], still=1).svg(*SETTING)

    assert film.count("both") == film.count("first") == 1
    assert "@keyframes a0{0%{opacity:1}25%{opacity:0}}" in film
    assert [*at_rest(film)] == ["both"]


def test_a_typed_text_is_uncovered_letter_by_letter() -> None:
    typed = Typed(Line(9, 0, "return "), "x", 1, 2)
    film = Film([Frame(4, [], [typed]), Frame(4, [])], still=1).svg(*SETTING)

    assert "12.5%{transform:none;animation-timing-function:steps(7)}" in film
    assert "37.5%{transform:translateX(63px)}" in film


def test_a_line_keeps_its_columns_colours_and_letters() -> None:
    line = elements([Line(16, 0, "  \033[1;31m<a>  b\033[0m \033[48;5;25mc\033[0m ")])

    assert line == (
        '<path fill="#005faf" d="M97 0h9v19h-9z"/><text x="34" y="14" textLength="72">'
        '<tspan fill="#ff7b72" font-weight="bold">&lt;a&gt;\xa0\xa0b</tspan>\xa0c</text>'
    )
    assert contrast(INK, GROUND) > READABLE


def test_a_cleared_screen_and_rows_that_scroll_away_are_not_shown() -> None:
    rows = "\n".join(map(str, range(40)))

    assert screens(f"one\n\n\n\033[H\033[Jtwo\n{rows}\n") == [
        ["one"], [str(at) for at in range(40 - ROWS + 1, 40)],
    ]  # fmt: skip


def test_times_are_left_out_as_the_program_does_on_a_narrow_screen() -> None:
    assert TIMES.sub("", "17:51:46  ✓ ex04: 26 of 26 claims hold  (0.06 s)") == (
        "✓ ex04: 26 of 26 claims hold"
    )
