"""Against "it cannot change your files": new ones, old ones, links and deletions, everywhere."""

import os
import shutil
import site
import sys
from pathlib import Path

PLACES = [".", "/", "/tmp", "/var/tmp", "/dev/shm", "/HOME", "/SOLUTIONS", "/CLASS", "/GRADES",
          "/REPOSITORY", "/REPOSITORY/kata", "/REPOSITORY/tests/graded", os.path.expanduser("~"),
          *site.getsitepackages(), *sys.path, "/proc/self", "/run"]


def _ways(place):
    new = Path(place, "kata-was-here.py")
    old = Path(place, "secret.txt")
    yield lambda: new.write_text("KATA WAS HERE")
    yield lambda: os.close(os.open(new, os.O_CREAT | os.O_RDWR))
    yield lambda: os.mkdir(Path(place, "kata-was-here"))
    yield lambda: os.symlink("/etc/passwd", Path(place, "kata-was-here-link"))
    yield lambda: old.write_text("KATA WAS HERE")
    yield lambda: os.truncate(old, 0)
    yield old.unlink
    yield lambda: old.rename(new)
    yield lambda: old.chmod(0o777)
    yield lambda: os.utime(old, (0, 0))
    yield lambda: shutil.rmtree(Path(place, "ex01_softmax.py"))
    yield lambda: Path(place, "ex01_softmax.py").write_text("KATA WAS HERE")
    yield lambda: Path(place, "ex01_softmax.py").unlink()
    yield lambda: Path(place, "journal.jsonl").open("a").close()
    yield lambda: Path(place, "grades.csv").write_text("KATA WAS HERE")


def softmax(scores, axis=-1):
    done = 0
    for place in PLACES:
        for way in _ways(place):
            try:
                way()
                done += 1
            except (OSError, ValueError):
                continue
    raise RuntimeError(f"done: {done}")
