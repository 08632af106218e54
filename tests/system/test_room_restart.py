"""A room that is kept, ended and opened again, as it is typed; tests/kata has it in one process."""

import signal
from pathlib import Path

from kata.files import state_file
from kata.live.protocol import SHARED
from kata.live.server import ROOM
from tests.helpers.open_room import Command
from tests.kata.live.test_server import EX05, Client, typed


def test_what_is_kept_survives_a_restart_until_it_is_forgotten(tmp_path: Path) -> None:
    opened = Command(tmp_path, "--keep")
    ada = Client(opened.room)
    ada.work(1)
    ada.signed(SHARED, {"count": 2, "exercise": EX05, "text": "x = 'mine'"})
    status, said = opened.end(signal=signal.SIGTERM)
    kept = state_file(tmp_path, ROOM)

    assert status == 0
    assert "kata room --forget" in said
    assert kept.stat().st_mode & 0o077 == 0
    assert "mine" not in kept.read_text()

    opened = Command(tmp_path, "--keep")
    ada.room = opened.room
    assert opened.room.person("Ada")["standings"] == {EX05: ["failed", 40, 68]}
    assert ada.work(1) == 409
    assert ada.work(3) == 200

    run = typed(tmp_path, "room", "--forget")
    assert run.out.startswith("forgotten: the room that was open has forgotten everybody")
    assert opened.end()[0] == 0
    assert not kept.exists()

    run = typed(tmp_path, "room", "--forget")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("nothing is kept here")
