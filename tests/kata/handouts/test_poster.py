"""The poster, read again from its PDF: what a passer-by has to see from a metre."""

import io
import math
from collections import Counter
from functools import cache
from typing import Any

import pypdf
import pytest

from kata.course.catalogue import bugs, changed
from kata.course.curriculum import exercises
from kata.course.naming import exercise_named
from kata.handouts.documents_bugs import own_bugs
from kata.handouts.marked import marked
from kata.handouts.paper import poster
from kata.handouts.paper.cards.code import WIDTH, broken
from kata.handouts.paper.typesetting import Data, TypesettingError, pdf
from kata.handouts.site.address import Address
from kata.handouts.site.pages import files
from kata.handouts.site.rooms import room

DIGITS, LETTERS = 14, 11  # points: of digits, which are read from a metre, and of anything
MUSEUM = Address("https://example.org/attention")
CARDS = poster.data()["cards"]
NUMBERS = [each["number"] for each in CARDS]


@cache
def read(paper: str, address: Address = poster.NOWHERE) -> pypdf.PageObject:
    (page,) = pypdf.PdfReader(io.BytesIO(poster.poster(paper, address))).pages
    return page


def written(page: pypdf.PageObject) -> list[tuple[str, float, str]]:
    """Each text with its size in points and its font."""
    found: list[tuple[str, float, str]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip():
            scale = math.hypot(*tm[2:4]) * math.hypot(*cm[2:4])
            found.append((text.strip(), size * scale, str(font["/BaseFont"])))

    page.extract_text(visitor_text=visit)
    return found


def plain(text: str) -> str:
    """Without spaces: where a line is broken, a PDF does not say what stood there."""
    return "".join(text.split())


def words(pieces: list[tuple[str, str]]) -> str:
    return "".join(each for _, each in pieces)


def cells(card: Data) -> list[Data]:
    return [cell for table in card["tables"] for row in table for cell in row]


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_digits_can_be_read_from_a_metre(paper: str) -> None:
    texts = written(read(paper))
    large = Counter(text for text, size, font in texts if "Mono" in font and size >= DIGITS)
    asked = Counter(cell["text"] for card in CARDS for cell in cells(card) if cell["text"])

    assert asked - large == Counter()
    assert [each for each in texts if each[1] < LETTERS - 0.1] == []


def test_every_card_is_whole() -> None:
    told = plain(read("a4").extract_text())

    assert [each.number for each in own_bugs()] == NUMBERS
    for card in CARDS:
        sentence = words(card["sentence"])
        assert plain(sentence) in told
        assert sentence.endswith(".")
        assert all(plain(each) in told for each in (card["title"], card["code"], card["answer"]))


def test_nothing_on_it_needs_another_page_to_be_understood() -> None:
    told = read("a4").extract_text().lower()

    assert [each for each in ("document 0", "documents", "see 1", "in[", "{") if each in told] == []


@pytest.mark.parametrize("number", NUMBERS)
def test_the_line_of_a_card_is_that_of_its_wrong_answer(number: int) -> None:
    card = CARDS[NUMBERS.index(number)]
    texts = [changed(exercise, bug) for exercise, bug in sources(number)]

    assert card["code"]
    assert any(all(part in plain(text) for part in map(plain, whole(card))) for text in texts)


def sources(number: int) -> list[Any]:
    """The wrong answers that a card may quote: its own, and those with what the documents print."""
    each = own_bugs()[NUMBERS.index(number)]
    quoted = {18: ("ex05", "scores-fill-dropped-and-inverted"), 19: ("ex09", "no-dropout")}
    short, slug = quoted.get(number, (each.exercise, each.slug))
    exercise = exercise_named(short)
    return [(exercise, next(bug for bug in bugs(exercise) if bug.slug == slug))]


def whole(card: Data) -> list[str]:
    """The lines of a card as they were before they were broken."""
    code = card["code"].replace("attention_scores", "w_out")
    return code.replace("\n    ", " ").splitlines()


@pytest.mark.parametrize("number", NUMBERS)
def test_a_table_shows_what_is_wrong(number: int) -> None:
    card = CARDS[NUMBERS.index(number)]
    first, last = card["tables"][0], card["tables"][-1]

    assert any(cell["edge"] != "#ffffff" for row in last for cell in row)
    assert len(card["tables"]) == 1 or first != last


def test_a_line_is_broken_after_a_comma_and_loses_nothing() -> None:
    line = "    return scores.masked_fill(mask, torch.finfo(scores.dtype).min)"

    assert broken(line) == [
        "    return scores.masked_fill(mask,",
        "        torch.finfo(scores.dtype).min)",
    ]
    assert broken("x" * WIDTH) == ["x" * WIDTH]
    assert max(map(len, broken("call(" + "argument, " * 20 + ")"))) <= WIDTH


def test_without_an_address_the_command_stands_there() -> None:
    page = read("a4")
    told = plain(page.extract_text())

    assert links(page) == []
    assert [each["number"] for each in CARDS if plain(each["command"]) not in told] == []
    assert [each["number"] for each in CARDS if each["qr"]] == []


def links(page: pypdf.PageObject) -> list[str]:
    notes = (each.get_object() for each in page.get("/Annots", ()))
    return [each["/A"]["/URI"] for each in notes]


def test_with_an_address_every_card_leads_to_its_page() -> None:
    masks = exercises()["ex05_causal_masks"]
    known = {each.slug for each in own_bugs() if each.exercise == masks.short}
    made = room(masks, [bug for bug in bugs(masks) if bug.slug in known])
    pages = {MUSEUM.of(name) for name, _ in files((made,), MUSEUM)}
    found = links(read("a4", MUSEUM))

    assert len(found) == len(CARDS)
    assert len({each for each in found if masks.slug in each} & pages) == len(known)
    assert "kata show" not in read("a4", MUSEUM).extract_text()


def test_codes_of_two_addresses_differ_and_say_where_they_lead() -> None:
    cards = poster.data(MUSEUM)["cards"]

    assert len({each["qr"] for each in cards}) == len(cards)
    assert all(each["page"] in each["scanned"] for each in cards)


def test_a_card_that_is_too_long_is_an_error() -> None:
    data = poster.data()
    data["cards"][0]["sentence"] = marked("far too much " * 60)

    with pytest.raises(TypesettingError, match="no room for The mask that is made and dropped"):
        pdf("poster.typ", data, "a4")


def test_digits_that_are_too_small_are_an_error() -> None:
    data = poster.data()
    data["cards"][0]["tables"][0][0][0]["text"] = "0.12345"

    with pytest.raises(TypesettingError, match="digits too small on the card of"):
        pdf("poster.typ", data, "a4")
