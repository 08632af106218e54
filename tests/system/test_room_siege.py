"""A hundred on one machine, ten of whom mean harm; KATA_SIEGE=600 makes it ten minutes."""

import asyncio
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.helpers.crowd import share_of
from tests.helpers.open_room import Command
from tests.helpers.siege import HONEST, besieged

SECONDS, PAUSE = float(os.environ.get("KATA_SIEGE", "2")), 2.5
HOPS = 5  # wake-ups from a save to the page; a busy machine is late for each of them
HOSTILE = 100  # acts; however busy the machine is, it goes on until they are done
FLAT = 16 * 1024  # KiB, from the first moment to the last


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address")
def test_a_crowd_is_shown_within_a_second_whatever_ten_of_it_do(tmp_path: Path) -> None:
    opened = Command(tmp_path)
    try:
        with ThreadPoolExecutor(1) as beside:  # a browser of other tests has a loop in this one
            siege = beside.submit(asyncio.run, besieged(opened.room, SECONDS, PAUSE, HOSTILE))
            found = siege.result()
    finally:
        status, said = opened.end(signal=signal.SIGINT)

    print(found)
    assert found.wrong == []
    assert found.lost == 0
    assert len(found.waits) > HONEST
    assert found.harms >= HOSTILE
    assert share_of(found.waits, 0.99) < 1 + HOPS * max(found.late)
    assert found.memory[-1] - found.memory[0] < FLAT
    assert (status, said) == (0, "the room is closed, and everything in it forgotten\n")
    assert "Only this machine can reach it" in opened.said
    assert [*tmp_path.iterdir()] == []
