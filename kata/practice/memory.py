"""The memory of practice: the questions of a learner, and the day on which they return."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from kata.files import places, read_note, write_note

FORM = 1  # version of the file format; a file in another format is ignored
EMPTY = ("hunts", "proofs", "open", "solved")  # the tables of the file
DAYS = (1, 3, 7, 21)  # until a card is asked again, by its box


@dataclass(frozen=True)
class Open:
    """A file that waits to be mended: the mistake, and a digest of the right file it was made in.

    It holds no code, which anybody could have put there.
    """

    bug: str
    made_in: str


@dataclass(frozen=True)
class Card:
    """A question: its box, from 0 on, and the day on which it is asked again."""

    box: int
    due: date

    def is_due(self, today: date) -> bool:
        """Return whether the question is to be asked."""
        return self.due <= today


class Memory:
    """The questions that a learner was asked, in a file that nothing depends on.

    A file that cannot be read counts as empty, and a failed write is ignored.
    """

    def __init__(self, folder: Path) -> None:
        self._places = places(folder, ".practice.json")
        self.path = next((place for place in self._places[::-1] if place.exists()), self._places[0])
        self._data = self._read()

    def hunt(self, slug: str, bug: str) -> Card | None:
        """Return the card of the hunt for a mistake; None if there was no such hunt."""
        return _card(self._data["hunts"].get(_key(slug, bug)))

    def hunts(self) -> dict[tuple[str, str], Card]:
        """Return the cards of all hunts, by exercise and mistake."""
        cards = {tuple(key.split(" ")): _card(value) for key, value in self._data["hunts"].items()}
        return {(key[0], key[1]): card for key, card in cards.items() if card and len(key) == 2}

    def note_hunt(self, slug: str, bug: str, today: date, *, right: bool) -> None:
        """Remember an answer; a right one before the day on which it is due moves nothing."""
        card = self.hunt(slug, bug)
        if card and right and not card.is_due(today):
            return
        self._data["hunts"][_key(slug, bug)] = _plain(after(card, today, right=right))

    def proof(self, slug: str) -> Card | None:
        """Return the card of an exercise's proof; None if it was never suggested."""
        return _card(self._data["proofs"].get(slug))

    def note_proof(self, slug: str, today: date) -> None:
        """Remember that a proof was suggested."""
        self._data["proofs"][slug] = _plain(after(self.proof(slug), today, right=True))

    def open(self, slug: str) -> Open | None:
        """Return the file of this exercise that waits to be mended."""
        with suppress(TypeError):
            return Open(**self._data["open"][slug]) if slug in self._data["open"] else None
        return None

    def all_open(self) -> list[str]:
        """Return the exercises that have such a file."""
        return list(self._data["open"])

    def begin(self, slug: str, file: Open) -> None:
        """Remember a file that waits to be mended."""
        self._data["open"][slug] = asdict(file)

    def solve(self, slug: str) -> None:
        """Remember that a mistake is mended, so that it is not offered again."""
        if file := self._data["open"].pop(slug, None):
            self._data["solved"].setdefault(slug, []).append(file["bug"])

    def solved(self, slug: str) -> frozenset[str]:
        """Return the mistakes that were mended."""
        value = self._data["solved"].get(slug)
        return frozenset(map(str, value)) if isinstance(value, list) else frozenset()

    def save(self) -> None:
        """Replace the file in one step, if it can be written."""
        for place in dict.fromkeys((self.path, *self._places)):
            with suppress(OSError):
                write_note(place, json.dumps(self._data))
                self.path = place
                return

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            data = read_note(self.path)
            if data.get("form") == FORM and all(
                isinstance(data.get(table), dict) for table in EMPTY
            ):
                return data
        return {"form": FORM, **{table: {} for table in EMPTY}}


def _key(slug: str, bug: str) -> str:
    return f"{slug} {bug}"


def _plain(card: Card) -> dict[str, Any]:
    return {"box": card.box, "due": card.due.isoformat()}


def _card(entry: Any) -> Card | None:
    with suppress(TypeError, ValueError, KeyError, OverflowError):
        return Card(int(entry["box"]), date.fromisoformat(entry["due"]))
    return None


def after(card: Card | None, today: date, *, right: bool) -> Card:
    """Return the card after an answer: one box further if it was right, else back in the first."""
    before = card.box if card else 0
    box = min(before + 1, len(DAYS) - 1) if right else 0
    return Card(box, today + timedelta(days=DAYS[box]))
