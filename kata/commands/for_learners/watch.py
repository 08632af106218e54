"""Judge each exercise as it is saved, at once, in a process of its own.

Keys: n next, h hint, a all, Enter the same again, q quit. Without a terminal it is a plain log.
"""

import signal
import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext

from kata.commands.common import add_folder, chosen, folder_of
from kata.judging.limits import TIME_LIMIT
from kata.learner.keys import keys, single_keys
from kata.learner.saves import changes
from kata.learner.waiting_judge import FORKS, WaitingJudges
from kata.learner.watcher import Watcher
from kata.terminal.style import style_of


def arguments(parser: ArgumentParser) -> None:
    """What it takes."""
    add_folder(parser)
    parser.add_argument("--poll", action="store_true", help="for network folders")
    parser.add_argument("--plain", action="store_true", help="a log without keys")
    parser.add_argument("--no-fork", action="store_true", help="start each process from nothing")
    parser.add_argument(
        "--timeout", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for one claim"
    )


def run(options: Namespace) -> int:
    """Until q, Ctrl-C, or the end of the folder."""
    folder = folder_of(options).absolute()
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and not options.plain
    crew = WaitingJudges(folder, forks=FORKS and not options.no_fork, limit=options.timeout)
    watcher = Watcher(folder, chosen(options), style_of(sys.stdout), crew)
    signal.signal(signal.SIGTERM, lambda *_: watcher.quit_at_once())
    with single_keys() if interactive else nullcontext():
        watcher.listen(changes(folder, poll=options.poll), watcher.saved, watcher.gone)
        if interactive:
            watcher.listen(keys(), watcher.pressed, watcher.quit)
        watcher.begin(keyed=interactive)
        return watcher.work()
