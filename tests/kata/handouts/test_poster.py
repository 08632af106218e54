"""The poster, read again from its PDF: what a passer-by has to see from a metre."""

import io
import math
from collections import Counter
from copy import deepcopy
from functools import cache
from typing import Any

import pypdf
import pytest

from kata.course.catalogue import bugs, changed
from kata.course.curriculum import exercise_named, exercises
from kata.handouts.excerpts import break_lines
from kata.handouts.figures.answers import inference, right, tensor, wrong
from kata.handouts.mistakes import own_bugs
from kata.handouts.paper import poster
from kata.handouts.paper.experiments import COMPARED, HEADS, MASKS, SIZE, keys_seen, masked
from kata.handouts.paper.poster import WIDTH
from kata.handouts.paper.typesetting import Data, TypesettingError, pdf, prose
from kata.handouts.site.address import Address
from kata.handouts.site.museum import museum_room as room
from kata.handouts.site.pages import files
from tests.helpers.later import torch

DIGITS, LETTERS = 14, 11  # points: of digits, which are read from a metre, and of anything
MUSEUM = Address("https://example.org/attention")


@cache
def data(address: Address = poster.NOWHERE) -> Data:
    return poster.data(address)


@cache
def cards() -> dict[int, Data]:
    """The cards without an address, by their numbers."""
    return {card["number"]: card for card in data()["cards"]}


class Sheet:
    """A poster as it is read."""

    def __init__(self, paper: str, address: Address = poster.NOWHERE) -> None:
        (page,) = pypdf.PdfReader(io.BytesIO(pdf("poster.typ", data(address), paper))).pages
        self.letters: list[tuple[str, float, str]] = []  # each text, its points, its font
        self.told = page.extract_text(visitor_text=self._visit)
        notes = (note.get_object() for note in page.get("/Annots", ()))
        self.links = [note["/A"]["/URI"] for note in notes]

    def _visit(self, text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text.strip():
            scale = math.hypot(*tm[2:4]) * math.hypot(*cm[2:4])
            self.letters.append((text.strip(), size * scale, str(font["/BaseFont"])))


@cache
def read() -> Sheet:
    return Sheet("a4")


def plain(text: str) -> str:
    """Without spaces: where a line is broken, a PDF does not say what stood there."""
    return "".join(text.split())


def words(pieces: list[tuple[str, str]]) -> str:
    return "".join(each for _, each in pieces)


def cells(card: Data) -> list[Data]:
    return [cell for table in card["tables"] for row in table for cell in row]


def test_digits_can_be_read_from_a_metre() -> None:
    assert_large(read())


def assert_large(sheet: Sheet) -> None:
    large = Counter(text for text, size, font in sheet.letters if "Mono" in font and size >= DIGITS)
    asked = Counter(
        cell["text"] for card in cards().values() for cell in cells(card) if cell["text"]
    )

    assert asked - large == Counter()
    assert [each for each in sheet.letters if each[1] < LETTERS - 0.1] == []


def test_the_poster_is_made_of_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poster, "data", lambda address: {"of": address})
    monkeypatch.setattr(poster, "pdf", lambda *given: given)

    assert poster.poster("letter", MUSEUM) == ("poster.typ", {"of": MUSEUM}, "letter")


def test_every_card_is_whole() -> None:
    told = plain(read().told)

    assert [each.number for each in own_bugs()] == [*cards()]
    for card in cards().values():
        sentence = words(card["sentence"])
        assert plain(sentence) in told
        assert sentence.endswith(".")
        assert all(plain(each) in told for each in (card["title"], card["code"], card["answer"]))


def test_nothing_on_it_needs_another_page_to_be_understood() -> None:
    told = read().told.lower()

    assert [each for each in ("document 0", "documents", "see 1", "in[", "{") if each in told] == []


def test_the_line_of_a_card_is_that_of_its_wrong_answer() -> None:
    assert {number: card["code"] for number, card in cards().items()
            if not card["code"] or not is_quoted(card, number)} == {}  # fmt: skip


def is_quoted(card: Data, number: int) -> bool:
    texts = [plain(changed(exercise, bug)) for exercise, bug in sources(number)]
    return any(all(part in text for part in map(plain, whole(card))) for text in texts)


def sources(number: int) -> list[Any]:
    """The wrong answers that a card may quote: its own, and those with what the documents print."""
    each = own_bugs()[[*cards()].index(number)]
    quoted = {18: ("ex05", "scores-fill-dropped-and-inverted"), 19: ("ex09", "no-dropout")}
    short, slug = quoted.get(number, (each.exercise, each.slug))
    exercise = exercise_named(short)
    return [(exercise, next(bug for bug in bugs(exercise) if bug.slug == slug))]


def whole(card: Data) -> list[str]:
    """The lines of a card as they were before they were broken."""
    code = card["code"].replace("attention_scores", "w_out")
    return code.replace("\n    ", " ").splitlines()


def test_a_table_shows_what_is_wrong() -> None:
    for number, card in cards().items():
        first, last = card["tables"][0], card["tables"][-1]

        assert any(cell["edge"] != "#ffffff" for row in last for cell in row), number
        assert len(card["tables"]) == 1 or first != last, number


def test_an_experiment_tells_the_wrong_answer_from_the_right_one() -> None:
    with inference():
        results = {(slug, bug): [str(comparison.ask(answer))
                                 for answer in (right(slug), wrong(slug, bug))]
                   for (slug, bug), comparison in COMPARED.items()}  # fmt: skip

    assert [key for key, (expected, actual) in results.items() if expected == actual] == []


def test_every_experiment_has_a_card() -> None:
    printed = {(exercise_named(bug.exercise).slug, bug.slug) for bug in own_bugs()}

    assert COMPARED.keys() <= printed


def test_the_mask_of_a_sample_meets_the_heads() -> None:
    lengths = [8, 6, 4, 2]
    with inference():
        seen = [keys_seen(answer).tolist()
                for answer in (right(HEADS), wrong(HEADS, "sample-mask-on-heads"))]  # fmt: skip

    assert seen == [[[length] * 4 for length in lengths], [lengths] * 4]


def test_weights_of_a_dropped_fill_are_those_without_a_mask() -> None:
    scores = tensor(5, SIZE, SIZE)
    future = torch.ones(SIZE, SIZE).triu(1).bool()
    with inference():
        weights = [masked(answer) for answer in (right(MASKS), wrong(MASKS, "scores-fill-dropped"))]

    assert torch.equal(weights[0], scores.masked_fill(future, -torch.inf).softmax(dim=-1))
    assert torch.equal(weights[1], scores.softmax(dim=-1))


def test_a_line_is_broken_after_a_comma_and_loses_nothing() -> None:
    line = "    return scores.masked_fill(mask, torch.finfo(scores.dtype).min)"

    assert break_lines(line, WIDTH) == ["    return scores.masked_fill(mask,",
                            "        torch.finfo(scores.dtype).min)"]  # fmt: skip
    assert break_lines("x" * WIDTH, WIDTH) == ["x" * WIDTH]
    assert max(map(len, break_lines("call(" + "argument, " * 20 + ")", WIDTH))) <= WIDTH


def test_without_an_address_the_command_stands_there() -> None:
    told = plain(read().told)

    assert read().links == []
    assert [number for number, card in cards().items() if plain(card["command"]) not in told] == []
    assert [number for number, card in cards().items() if card["qr"]] == []


def test_with_an_address_every_card_leads_to_its_page_by_a_code_of_its_own() -> None:
    masks = exercises()["ex05_causal_masks"]
    known = {each.slug for each in own_bugs() if each.exercise == masks.short}
    made = room(masks, [bug for bug in bugs(masks) if bug.slug in known])
    pages = {MUSEUM.of(name) for name, _ in files((made,), MUSEUM)}
    led = data(MUSEUM)["cards"]

    assert len({card["page"] for card in led if masks.slug in card["page"]} & pages) == len(known)
    assert len({card["qr"] for card in led}) == len(cards())
    assert all(card["page"] in card["scanned"] for card in led)


def with_first_card(**changes: Any) -> Data:
    first, *others = data()["cards"]
    return {**data(), "cards": [{**first, **changes}, *others]}


def test_a_card_that_is_too_long_is_an_error() -> None:
    too_long = with_first_card(sentence=prose("far too much " * 60))

    with pytest.raises(TypesettingError, match="no room for The mask that is made and dropped"):
        pdf("poster.typ", too_long, "a4")


def test_digits_that_are_too_small_are_an_error() -> None:
    tables = deepcopy(cards()[1]["tables"])
    tables[0][0][0]["text"] = "0.12345"

    with pytest.raises(TypesettingError, match="digits too small on the card of"):
        pdf("poster.typ", with_first_card(tables=tables), "a4")
