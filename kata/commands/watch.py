"""Judge an exercise each time you save it.

Keys: n next, h hint, a all, Enter again, q quit; any other key lists them. Without a terminal it
prints a plain log. Exit status: 0 after q, 130 after Ctrl-C, 1 if the folder is deleted.
"""

import signal
import sys
from argparse import ArgumentParser, Namespace
from contextlib import nullcontext

from kata.commands.common import add_folder, folder_of, track_of
from kata.judging.limits import TIME_LIMIT
from kata.learner.events import changes, keys, single_keys
from kata.learner.waiting_judge import FORKS, WaitingJudges
from kata.learner.watcher import Watcher
from kata.terminal.style import style_of

INTERRUPTED = 130  # exit status


def arguments(parser: ArgumentParser) -> None:
    add_folder(parser)
    parser.add_argument("--poll", action="store_true", help="always poll, for network folders")
    parser.add_argument("--plain", action="store_true", help="a plain log, without keys")
    parser.add_argument("--no-fork", action="store_true", help="start each judge from scratch")
    parser.add_argument(
        "--timeout", type=float, default=TIME_LIMIT, metavar="SECONDS", help="for one claim"
    )


def run(options: Namespace) -> int:
    """Watch until q, Ctrl-C, or until the folder is deleted."""
    folder = folder_of(options).absolute()
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and not options.plain
    saves = changes(folder, poll=options.poll)
    judges = WaitingJudges(folder, forks=FORKS and not options.no_fork, limit=options.timeout)
    watcher = Watcher(folder, track_of(options), style_of(sys.stdout), judges)
    # SIGHUP comes when the window is closed; Windows lacks it.
    for name in ("SIGTERM", "SIGHUP"):
        if number := getattr(signal, name, None):
            signal.signal(number, lambda *_: watcher.quit_at_once())
    # An exception of its own could be lost: what Python runs to clean up swallows it.
    signal.signal(signal.SIGINT, lambda *_: watcher.quit_at_once(INTERRUPTED))
    with single_keys() if interactive else nullcontext():
        watcher.begin(keyed=interactive)
        watcher.listen(saves, watcher.saved, watcher.gone)
        if interactive:
            watcher.listen(keys(), watcher.pressed, watcher.quit)
        return watcher.work()
