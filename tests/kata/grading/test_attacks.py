"""What a judge reads of attacks without running them; tests/system grades them for real."""

import subprocess
import sys
import tomllib
from pathlib import Path

from kata.course.curriculum import ROOT, exercises
from kata.course.target import Target, at_sight
from kata.grading.flags import flags

ATTACKS = ROOT / "tests" / "specimens" / "attacks"
OUTCOMES = tomllib.loads((ATTACKS / "outcomes.toml").read_text(encoding="utf-8"))
SLUGS = {exercise.short: slug for slug, exercise in exercises().items()}
LARGEST_JUDGE = 700  # MiB; torch alone has 250
PARSE = """
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from kata.course.source import LARGEST, parse
before = getrusage(RUSAGE_SELF).ru_maxrss
tree = parse(Path("x"), "x;" * (LARGEST // 2))
print((getrusage(RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_judge_reads_every_attack() -> None:
    for name, outcome in OUTCOMES.items():
        slugs = [SLUGS[short] for short in outcome["exercises"]]
        target = Target(Path("x"), dict.fromkeys(slugs, (ATTACKS / f"{name}.py").read_bytes()))
        readable = (slug for slug in slugs if at_sight(exercises()[slug], target) is None)
        found = [flag for slug in readable
                 for flag in flags(exercises()[slug], target.source(slug).text)]  # fmt: skip

        assert [flag for flag in found if not flag.text] == [], name


def test_the_largest_file_is_no_burden() -> None:
    """A judge keeps the trees of all files of a student."""
    found = subprocess.check_output([sys.executable, "-c", PARSE], cwd=ROOT)

    assert int(found) < LARGEST_JUDGE / len(exercises())


def test_every_attack_says_which_promise_it_tries_to_break() -> None:
    files = {each.stem: each.read_bytes() for each in ATTACKS.glob("*.py")}

    assert files.keys() == OUTCOMES.keys()
    assert len(files) >= 45
    for name, content in files.items():
        promise = OUTCOMES[name]["promise"].replace("nothing", "")
        start = f'Against "{promise}":' if promise else "Against nothing:"
        assert start.encode() in content[:200], name
