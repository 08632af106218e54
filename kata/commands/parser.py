"""What can be typed after `kata`, grouped by who needs it."""

import shutil
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping
from importlib import import_module
from textwrap import fill

from kata.terminal.style import WIDEST

GROUPS = {  # by the folder of a command
    "for_learners": "for learners:",
    "for_practice": "to practise:",
    "what_for": "to see what it is for:",
    "for_rooms": "for workshops:",
    "for_instructors": "for instructors:",
    "for_maintainers": "for maintainers of the kata:",
}
Folders = Mapping[str, str]  # of each command


def parser(folders: Folders, wanted: str = "") -> ArgumentParser:
    """The parser of the wanted command; of all of them if it is none, to list them."""
    names = [wanted] if wanted in folders else list(folders)
    kata_parser = ArgumentParser(
        prog="kata", usage="kata COMMAND [OPTIONS]", formatter_class=RawDescriptionHelpFormatter
    )
    commands = kata_parser.add_subparsers(
        prog="kata", dest="command", required=True, metavar="COMMAND", help=SUPPRESS
    )
    abouts = {}
    for name in names:
        command = import_module(f"kata.commands.{folders[name]}.{name}")
        about = (command.__doc__ or "").strip()
        abouts[name] = about.splitlines()[0]
        command_parser = commands.add_parser(name, description=about)
        command.arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    kata_parser.epilog = "\n".join(_groups(folders, abouts))
    return kata_parser


def _groups(folders: Folders, abouts: Mapping[str, str]) -> Iterator[str]:
    for folder in dict.fromkeys(folders[name] for name in abouts):
        yield GROUPS[folder]
        yield from (_entry(n, abouts[n]) for n in abouts if folders[n] == folder)
        yield ""


def _entry(name: str, about: str) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indents = f"  {name:<10} ", " " * 13
    return fill(about, width, initial_indent=indents[0], subsequent_indent=indents[1])
