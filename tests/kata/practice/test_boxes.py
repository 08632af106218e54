"""When something returns: after 1, 3, 7 and 21 days, and tomorrow if it was wrong."""

from datetime import date, timedelta
from pathlib import Path

from kata.practice.memory import DAYS, Card, Memory, Open, after

TODAY = date(2026, 3, 1)


def in_days(count: int) -> date:
    return TODAY + timedelta(days=count)


def test_right_answers_move_it_one_box_further() -> None:
    card, waits = after(None, TODAY, right=False), []
    for _ in range(4):
        waits.append((card.due - TODAY).days)
        card = after(card, TODAY, right=True)

    assert waits == [1, 3, 7, 21] == list(DAYS)
    assert card == Card(3, in_days(21))


def test_a_wrong_answer_moves_it_back_to_tomorrow() -> None:
    assert after(Card(3, TODAY), TODAY, right=False) == Card(0, in_days(1))


def test_it_is_due_from_its_day_on() -> None:
    card = Card(0, in_days(1))

    assert [card.is_due(in_days(each)) for each in (0, 1, 9)] == [False, True, True]


def test_what_was_practised_is_remembered(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "exercises")
    memory.note_hunt("ex05", "one", TODAY, right=True)
    memory.note_proof("ex05", TODAY)
    memory.begin("ex06", Open("two", "digest"))
    memory.save()

    again = Memory(tmp_path / "exercises")

    assert again.hunts() == {("ex05", "one"): Card(1, in_days(3))}
    assert again.proof("ex05") == Card(1, in_days(3))
    assert again.open("ex06") == Open("two", "digest")
    again.solve("ex06")
    assert (again.open("ex06"), again.solved("ex06")) == (None, {"two"})


def test_asked_before_its_day_a_right_answer_moves_nothing_and_a_wrong_one_does(tmp_path) -> None:
    memory = Memory(tmp_path / "exercises")
    for right in (True, True, True):
        memory.note_hunt("ex05", "one", TODAY, right=right)
    assert memory.hunt("ex05", "one") == Card(1, in_days(3))

    memory.note_hunt("ex05", "one", TODAY, right=False)
    assert memory.hunt("ex05", "one") == Card(0, in_days(1))


def test_a_file_that_cannot_be_read_counts_as_empty(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "exercises")
    for text in ("no JSON", '{"form": 0}', '{"form": 1, "hunts": []}', "[]"):
        memory.path.parent.mkdir(exist_ok=True)
        memory.path.write_text(text, encoding="utf-8")
        assert Memory(tmp_path / "exercises").hunts() == {}
