"""Against "it cannot read your files": the reference, a neighbour's work, your home, by many ways."""

import glob
import os
import subprocess
from pathlib import Path

PLACES = ["/SOLUTIONS", "/SOLUTIONS/ex01_softmax.py", "/SOLUTIONS/secret.txt", "/CLASS",
          "/CLASS/neighbour/ex01_softmax.py", "/HOME", "/HOME/secret.txt", "/etc/passwd",
          "/etc/hostname", "/proc/self/environ", "/proc/1/environ", "/proc/self/mountinfo", "/",
          "~/secret.txt", "~", ".", "..", "../../secret.txt", "/tmp", "/root", "/home", "/REPOSITORY",
          "/REPOSITORY/solutions/ex01_softmax.py", "/REPOSITORY/tests/graded/test_ex01_softmax.py"]


def _look(place):
    place = os.path.expanduser(place)
    for attempt in (lambda: Path(place).read_text(), lambda: os.listdir(place),
                    lambda: os.read(os.open(place, os.O_RDONLY), 999), lambda: glob.glob(f"{place}/*"),
                    lambda: subprocess.check_output(["cat", place])):
        try:
            yield attempt()
        except (OSError, ValueError, UnicodeDecodeError) as error:
            yield type(error).__name__


_found = {place: list(_look(place)) for place in PLACES}
_kept = [each for each in _found.values() if any(isinstance(one, (str, bytes)) and len(one) > 99 for one in each)]
print(_kept, _found)


def softmax(scores, axis=-1):
    raise RuntimeError(str(_kept) + str(_found))
