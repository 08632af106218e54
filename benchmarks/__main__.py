"""What the kata costs: `python -m benchmarks [NAME ...] [--rounds N] [--students N] [--saves N]`.

Every figure is a line, with its limit if it has one. A busy machine slows everything: what is
compared is measured in turn, in one run, and stands as a ratio. Exits with 1 if a limit is passed.
"""

import argparse
import sys

from benchmarks.timings import TIMINGS


def main() -> int:
    """Measure what is named, or everything."""
    parser = argparse.ArgumentParser(description="What the kata costs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TIMINGS))
    parser.add_argument("--rounds", type=int, default=3, help="of which the median counts")
    parser.add_argument("--students", type=int, default=40, help="of the larger class")
    parser.add_argument("--saves", type=int, default=60, help="that `kata watch` has to bear")
    options = parser.parse_args()
    if unknown := {*options.names} - {*TIMINGS}:
        parser.error(f"no such timing: {', '.join(sorted(unknown))}")
    missed = 0
    for name in options.names or TIMINGS:
        print(name)
        for figure in TIMINGS[name](options):
            print(f"  {figure}", flush=True)
            missed += figure.value > figure.limit
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
