"""When something is asked again: after 1, 3, 7 and 21 days, and sooner if it was wrong."""

from dataclasses import dataclass
from datetime import date, timedelta

DAYS = (1, 3, 7, 21)  # until a card of each box is asked again


@dataclass(frozen=True)
class Card:
    """Something that was asked: its box, from 0 on, and the day on which it is asked again."""

    box: int
    due: date

    def is_due(self, today: date) -> bool:
        """Whether the card is to be asked."""
        return self.due <= today


def after(card: Card | None, today: date, *, right: bool) -> Card:
    """The card after an answer: one box further if it was right, else back in the first."""
    before = card.box if card else 0
    box = min(before + 1, len(DAYS) - 1) if right else 0
    return Card(box, today + timedelta(days=DAYS[box]))
