"""The cheat sheet on any paper, the poster on letter paper, and one with an address."""

from tests.kata.handouts.test_cheat_sheet import assert_whole
from tests.kata.handouts.test_poster import MUSEUM, Sheet, assert_large, cards, data


def test_the_cheat_sheet_can_be_read() -> None:
    for paper in ("a4", "letter"):
        assert_whole(paper)


def test_the_poster_can_be_read_on_letter_paper() -> None:
    assert_large(Sheet("letter"))


def test_with_an_address_every_card_is_a_link_and_no_command_stands_there() -> None:
    sheet = Sheet("a4", MUSEUM)

    assert sorted(sheet.links) == sorted(card["page"] for card in data(MUSEUM)["cards"])
    assert len(sheet.links) == len(cards())
    assert "kata show" not in sheet.told
