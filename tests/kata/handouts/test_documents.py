"""docs/documents.md is true: its numbers, figures, sections, slugs and commands."""

import re
from xml.etree import ElementTree

import pytest

from docs import make_documents
from docs.make_documents import SHORTS, of_document
from docs.page import DRAWINGS, FIGURES, PAGE, PIECES, markdown, rendered
from kata.__main__ import main
from kata.course.catalogue import bugs
from kata.handouts.documents_bugs import WRITTEN, OwnBug, own_bugs

TEXT = PAGE.read_text(encoding="utf-8")
BUGS = own_bugs()
COMMANDS = re.findall(r"^python (.*)$", TEXT, re.MULTILINE)
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+\.\d+")
ASIDE = (
    re.compile(r"^#.*|^number = .*|^(poster|slug|exercise|tables) = .*|figure = .*", re.MULTILINE),
    re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
    re.compile(r"`[^`]*`"),
)
# Numbers that name something.
NAMES = re.compile(r"[Dd]ocuments? 00\d(, 00\d)*( and 00\d)?|\bex\d\d|In\[\d+\]|\b(see|in) \d+")


def same(one: str, other: str) -> bool:
    """The same text, and decimals that differ by rounding at most."""
    decimals = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
        abs(float(a) - float(b)) < 1.5 * 10.0 ** -len(a.split(".")[1]) for a, b in decimals
    )


def prose(text: str) -> str:
    """What is neither code nor a name."""
    for each in (*ASIDE, NAMES):
        text = each.sub("", text)
    return text


def test_the_page_is_made_from_the_twenty() -> None:
    """After a change of theirs: `python -m docs.make_documents`."""
    assert rendered(BUGS) == TEXT
    assert "||" not in TEXT


@pytest.mark.parametrize("name", PIECES)
def test_each_number_is_the_computed_one(name: str) -> None:
    """Computed again by `python -m docs.make_documents`."""
    number, short = name.split(".")

    assert same(markdown(BUGS[int(number) - 1].computed[short]), markdown(PIECES[name]()))


def test_nothing_else_is_kept_as_computed() -> None:
    assert {f"{bug.number}.{name}" for bug in BUGS for name in bug.computed} == set(PIECES)


def test_all_that_is_kept_is_on_the_page() -> None:
    kept = [markdown(value) for bug in BUGS for value in bug.computed.values()]

    assert [each for each in kept if each not in TEXT] == []


def test_no_number_is_written_by_hand() -> None:
    assert re.findall(r".*\d.*", prose(WRITTEN.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("name", DRAWINGS)
def test_each_figure_is_the_computed_one(name: str) -> None:
    def texts(svg: str) -> str:
        return "\n".join(re.findall(r">([^<>\n]+)<", svg))

    drawn = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")

    assert same(texts(drawn), texts(DRAWINGS[name]()))


@pytest.mark.parametrize("name", DRAWINGS)
def test_each_figure_shows_numbers_and_says_what_its_axes_are(name: str) -> None:
    """GitHub shows no titles of elements: what is not drawn is not there."""
    drawn = ElementTree.parse(FIGURES / f"{name}.svg").getroot()
    title = drawn.findtext(f"{SVG}text") or ""
    maps = drawn.findall(f"{SVG}svg")

    assert "row" in title
    assert "column" in title
    assert len(maps) == 3
    for each in maps:
        cells = each.find(f"{SVG}path[@fill='white']").attrib["d"].count("M")
        numbers = each.findall(f"{SVG}g/{SVG}text")
        written = [text[-1].tail if len(text) else text.text for text in numbers]
        assert len([*filter(None, written)]) == cells
        indices = [text.text for text in each.findall(f"{SVG}text")]
        assert len(indices) == 2 * cells**0.5  # all are square


def test_the_figures_are_those_of_the_page() -> None:
    shown = re.findall(r"!\[.+\]\(figures/(.+)\.svg\)", TEXT)

    assert sorted(shown) == sorted(DRAWINGS) == sorted(each.stem for each in FIGURES.iterdir())


def test_the_twenty_are_in_order() -> None:
    assert [bug.number for bug in BUGS] == list(range(1, 21))


@pytest.mark.parametrize("own", BUGS, ids=[bug.title for bug in BUGS])
def test_each_entry_of_the_catalogue_is_in_its_section(own: OwnBug) -> None:
    section = TEXT.partition(f"\n## {own.number}. ")[2].partition("\n## ")[0]
    found = [f"{short} `{bug.slug}`" for short, each in SHORTS.items()
             for bug in bugs(each) if of_document(bug, own.number)]  # fmt: skip

    assert [each for each in found if each not in section] == []


def test_each_slug_is_in_the_catalogue() -> None:
    named = re.findall(r"(ex\d\d) `([\w-]+)`", TEXT)
    known = {(short, bug.slug) for short, each in SHORTS.items() for bug in bugs(each)}

    assert len(named) > 80
    assert set(named) - known == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    script, *words = command.removeprefix("-m ").split()

    if script == "kata":
        assert main(words) == 0
    else:
        assert script == "docs.make_documents"
        make_documents.main(*words)

    assert len(capsys.readouterr().out) > 200
