"""Train a model made of your own parts: one that reverses sequences, or one that writes.

`kata run sequences` takes seconds, `kata run text` two minutes. Where a part is not done, or does
not pass, the reference stands in, and it is said which parts are yours.
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace

from kata.commands.common import add_folder, folder_of
from kata.terminal.style import style_of

WHAT = ("sequences", "text")
SECONDS = 100.0  # of training


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=WHAT, help="what the model learns")
    parser.add_argument("--seconds", type=_seconds, default=SECONDS, help="of training, for text")
    parser.add_argument("--begin", default="Alice ", metavar="TEXT", help="how its texts begin")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    add_folder(parser)


def _seconds(text: str) -> float:
    try:
        if 0 < (seconds := float(text)) <= 3600:
            return seconds
    except ValueError:
        pass
    raise ArgumentTypeError(f"not a number of seconds up to an hour: {text}")


def run(options: Namespace) -> int:
    """Train it, and show what it can do."""
    import torch

    # Late, because it imports torch.
    from kata.commands.training import sequences, text

    torch.manual_seed(options.seed)
    folder, style = folder_of(options), style_of(sys.stdout)
    if options.what == "sequences":
        lines = sequences(folder, style)
    else:
        lines = text(folder, style, options.seconds, options.begin)
    for line in lines:
        print(line, flush=True)
    return 0
