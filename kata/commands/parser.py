"""What can be typed after `kata`, grouped by who needs it."""

import shutil
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from textwrap import fill

from kata.terminal.style import WIDEST

Groups = Mapping[str, Sequence[str]]


def parser(groups: Groups, wanted: str = "") -> ArgumentParser:
    """Make the parser of the wanted command; of all of them if it is none, to list them."""
    known = [name for names in groups.values() for name in names]
    kata_parser = ArgumentParser(
        prog="kata", usage="kata COMMAND [OPTIONS]", formatter_class=RawDescriptionHelpFormatter
    )
    commands = kata_parser.add_subparsers(
        prog="kata", dest="command", required=True, metavar="COMMAND", help=SUPPRESS
    )
    abouts = {}
    for name in [wanted] if wanted in known else known:
        command = import_module(f"kata.commands.{name}")
        about = (command.__doc__ or "").strip()
        abouts[name] = about.splitlines()[0]
        command_parser = commands.add_parser(name, description=about)
        command.arguments(command_parser)
        command_parser.set_defaults(run=command.run)
    kata_parser.epilog = "\n".join(_listed(groups, abouts))
    return kata_parser


def _listed(groups: Groups, abouts: Mapping[str, str]) -> Iterator[str]:
    for title, names in groups.items():
        if entries := [_entry(name, abouts[name]) for name in names if name in abouts]:
            yield from (f"{title}:", *entries, "")


def _entry(name: str, about: str) -> str:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indents = f"  {name:<10} ", " " * 13
    return fill(about, width, initial_indent=indents[0], subsequent_indent=indents[1])
