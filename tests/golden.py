"""Two graders on one class, byte for byte: `python -m tests.golden CHECKOUT [--count N]`.

A refactoring changes nothing that a user sees. This grades a class with the code of the other
checkout and with this one, in four shapes (folders, zips, notebooks, an export of Canvas), with
proofs, a roster, a late rule, overrules, gradebook, rubric and all reports, and lists the files
that differ. Every second student has one mistake of the catalogue in each exercise, no two alike.
"""

import argparse
import csv
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from kata.course.catalogue import bugs, wrong_answer
from kata.course.curriculum import ROOT, exercises
from kata.grading.reports.formats import ON_REQUEST
from tests.helpers.packings import OWN_LINE, in_cells, write, zipped

Files = dict[str, bytes]
PROVERS = 4  # students who hand in tests of their own
PROVEN = ("ex01_softmax", "ex05_causal_masks")
LEFT_OUT = {"journal.jsonl", "timings.json"}  # keys, and what differs from run to run
ENCODED = ".base64"  # what stands beside it as it is
# How long something took, which differs from run to run; on the page of the class to its end.
TIMES = re.compile(
    rb'(?<=time=")[\d.]+|(?<="execution_time": )[\d.]+|(?<="duration": )[\d.]+'
    rb"|(?s:<p class=\"muted\">All claims of all students took .*)"
)


def work(number: int) -> Files:
    """One student's files: every second one has a mistake in each exercise."""
    found: Files = {}
    for slug, exercise in exercises().items():
        known = bugs(exercise)
        wrong = [known[number // 2 % len(known)]] if number % 2 else []
        found[f"{slug}.py"] = f"{wrong_answer(exercise, *wrong)}# {number}\n".encode()
    if number < PROVERS:
        for slug in PROVEN:
            found[f"proofs/{slug}.py"] = (ROOT / "tests" / "proofs" / f"{slug}.py").read_bytes()
    return found


def in_folders(name: str, _: int, files: Files) -> Files:
    """A folder for each student."""
    return {f"{name}/{path}": content for path, content in files.items()}


def in_zips(name: str, _: int, files: Files) -> Files:
    """A zip for each student."""
    return {f"{name}.zip": zipped(files)}


def in_notebooks(name: str, _: int, files: Files) -> Files:
    """One notebook for each student, which holds all exercises."""
    texts = (content.decode() for path, content in files.items() if "/" not in path)
    return {f"{name}/homework.ipynb": in_cells(OWN_LINE.sub("", text) for text in texts)}


def of_canvas(name: str, number: int, files: Files) -> Files:
    """Flat, with the names that Canvas gives to files."""
    late = "LATE_" if number % 7 == 0 else ""
    return {f"{name}_{late}{100 + number}_{9000 + 100 * number + at}_{path.replace('/', '_')}": text
            for at, (path, text) in enumerate(files.items())}  # fmt: skip


SHAPES: Mapping[str, Callable[[str, int, Files], Files]] = {
    "folders": in_folders, "zips": in_zips, "notebooks": in_notebooks, "canvas": of_canvas,
}  # fmt: skip


def lay_out(home: Path, count: int) -> None:
    """The class in every shape, and the tables of its instructor."""
    names = [f"student{'abcdefghijklmnopqrstuvwxyz'[at % 26]}{at // 26}x" for at in range(count)]
    for shape, pack in SHAPES.items():
        for number, name in enumerate(names):
            write(home / f"class-{shape}", pack(name, number, work(number)))
    times = [f"2026-03-0{1 + number % 4} 12:00" for number in range(count)]
    people = [*zip(names, range(100, 100 + count), times, strict=True), ("absent", 99, "")]
    _table(home / "roster.csv", ("name", "id", "handed_in"), people)
    decided = [(names[0], "ex05", "1.5", "looked at again"), (names[1], "", "+1", "spoke of it")]
    _table(home / "overrules.csv", ("student", "exercise", "adjustment", "comment"), decided)
    export = [("    Points Possible", "", "", "100"), *((n, i, "A", "") for n, i, _ in people)]
    _table(home / "export.csv", ("Student", "ID", "Section", "Attention kata (7)"), export)


def _table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def grade(checkout: Path, home: Path, shape: str, name: str) -> float:
    """Grade one shape with the code of a checkout; gives the seconds of CPU."""
    place = home / shape / name
    place.mkdir(parents=True)
    words = ["grader.py", f"../../class-{shape}", "--seed", "7", "--roster", "../../roster.csv",
             "--deadline", "2026-03-02 23:59", "--late", "10% per day, at most 30%",
             "--overrules", "../../overrules.csv", "--proofs", "1",
             "--gradebook", "../../export.csv", "--write-rubric", "rubric.toml"]  # fmt: skip
    words += [word for each in ON_REQUEST for word in ("--report", each)]
    words += ["--upload", "canvas"] if shape == "canvas" else []
    words[0] = str(checkout / words[0])
    around = {**os.environ, "PYTHONPATH": str(checkout)}
    before = _spent()
    with (place / "printed.txt").open("w", encoding="utf-8") as out:
        subprocess.run([sys.executable, *words], cwd=place, env=around, stdout=out, check=False)
    return _spent() - before


def _spent() -> float:
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def differing(one: Path, other: Path) -> Iterator[str]:
    """The files that only one of two runs has written, or that differ."""
    there = [_contents(each) for each in (one, other)]
    for name in sorted(there[0].keys() | there[1].keys()):
        if there[0].get(name) != there[1].get(name):
            yield name


def _contents(place: Path) -> dict[str, bytes]:
    files = (each for each in place.rglob("*") if each.is_file() and each.name not in LEFT_OUT)
    return {str(path.relative_to(place)): TIMES.sub(b"", path.read_bytes())
            for path in files if path.suffix != ENCODED}  # fmt: skip


def main() -> int:
    """Grade every shape twice, and list what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="with the code that this is compared with")
    parser.add_argument("--count", type=int, default=30, help="students")
    parser.add_argument("--shape", action="append", choices=SHAPES, help="may be repeated")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="golden-"))
    lay_out(home, options.count)
    different = 0
    for shape in options.shape or SHAPES:
        both = {"then": options.checkout.resolve(), "now": ROOT}
        seconds = [grade(each, home, shape, name) for name, each in both.items()]
        found = [*differing(*(home / shape / name for name in both))]
        print(f"{shape}: {seconds[0]:.1f} and {seconds[1]:.1f} s of CPU,",
              f"differing: {', '.join(found) or 'nothing'}", flush=True)  # fmt: skip
        different += len(found)
    if different:
        print(f"they are in {home}")
    else:
        shutil.rmtree(home)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
