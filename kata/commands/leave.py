"""Leave the live room that you have joined; it forgets you."""

from argparse import ArgumentParser, Namespace

from kata.commands.common import add_folder, folder_of
from kata.live.attending import leave


def arguments(parser: ArgumentParser) -> None:
    add_folder(parser)


def run(options: Namespace) -> int:
    """Leave, whether the room can be reached or not."""
    print(leave(folder_of(options)))
    return 0
