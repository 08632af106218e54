"""What docs/grading/room.md says about rooms."""

import re
import shlex

from kata.__main__ import GROUPS
from kata.commands.common import parser
from kata.course.curriculum import ROOT
from kata.live.people import BURST, MOST_PEOPLE, MOST_VIEWERS, RATE, RECENT, STUCK
from kata.live.protocol import LARGEST_MESSAGE
from kata.live.server import own_address

GUIDE = (ROOT / "docs" / "grading" / "room.md").read_text(encoding="utf-8")
SECTION = " ".join(GUIDE.split())
OURS = GROUPS["for workshops"]
TYPED = sorted(set(re.findall(rf"`(kata (?:{'|'.join(OURS)})[^`…]*)`", SECTION)))


def test_every_command_can_be_typed() -> None:
    assert TYPED
    for command in TYPED:
        words = shlex.split(command)[1:]

        assert parser(GROUPS, words[0]).parse_args(words).command == words[0], command


def test_every_option_is_told() -> None:
    known = {"--help", "--folder", "--track"}  # as everywhere
    for command in OURS:
        options = set(re.findall(r"--[a-z]+", _help(command)))

        assert (command, [each for each in options - known if each not in SECTION]) == (command, [])


def _help(command: str) -> str:
    found = parser(GROUPS, command)
    (commands,) = [each for each in found._actions if hasattr(each, "choices") and each.choices]
    return str(commands.choices[command].format_help())


def test_the_bounds_are_those_of_the_program() -> None:
    assert f"A room takes {MOST_PEOPLE} learners, {MOST_VIEWERS} browsers" in SECTION
    assert f"{LARGEST_MESSAGE // 1024} KiB for each message" in SECTION
    assert f"{RATE:.0f} requests a second from one address ({BURST:.0f} at once)" in SECTION
    assert (STUCK, RECENT) == (5 * 60, 10 * 60)


def test_a_machine_has_an_address() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", own_address())
