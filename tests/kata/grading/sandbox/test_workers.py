"""What an instructor chooses reaches the process of which workers are forks."""

from kata.course.curriculum import exercises
from kata.grading.options import Options
from kata.grading.sandbox.workers import warm_process


def test_the_warm_process_is_told_limits_and_modules() -> None:
    slugs = tuple(exercises())[:2]
    needed = {name for slug in slugs for name in exercises()[slug].imports}
    options = Options(slugs, dict.fromkeys(slugs, 1.0), timeout=0.75, memory=300)

    memory, seconds, *modules = warm_process(options)._arguments

    assert (memory, seconds) == (str(300 << 20), "5")  # six claims of patience, rounded up
    assert set(modules) == needed
    assert len(modules) == len(needed)
