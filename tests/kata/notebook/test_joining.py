"""A room that is joined from a notebook."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kata import join, leave, share
from kata.course.cells import Cell
from kata.live.people import People
from kata.notebook import helps as module
from kata.notebook.check import CheckError, checked
from kata.notebook.kernel import WorkInCells
from tests.helpers.open_room import Room, in_a_thread
from tests.kata.notebook.test_check import WRONG

CELLS = [Cell(1, WRONG)]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """A room, and a notebook that has run one cell."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "cells", lambda: CELLS)
    with in_a_thread(People()) as opened:
        yield opened


def test_a_check_is_seen_in_the_room(room: Room) -> None:
    told = repr(join(room.link, "Ada"))
    assert "as Ada" in told
    assert "Never your code" in told

    assert not checked(WorkInCells(CELLS), "softmax")

    view = room.until(lambda view: view["people"][0]["mistake"])
    assert view["people"][0]["mistake"] == "scores divided by their sum"
    assert "np.sum" not in str(view)


def test_code_is_shown_on_purpose_and_leaving_forgets(room: Room) -> None:
    join(room.link, "Ada")

    share("ex01")
    assert "np.sum" in room.person("Ada")["shown"]["text"]
    assert "no longer shown" in repr(share())
    assert room.person("Ada")["shown"] is None
    assert "forgotten Ada" in repr(leave())
    assert room.view()["people"] == []


@pytest.mark.usefixtures("room")
def test_what_cannot_be_done_is_one_sentence() -> None:
    for call in (leave, lambda: share("ex01"), lambda: join("nowhere"), lambda: share("ex77")):
        with pytest.raises(CheckError) as told:
            call()
        assert "\n" not in str(told.value)
