"""The warm process for what an instructor has chosen."""

from kata.course.curriculum import exercises
from kata.grading.options import Options
from kata.grading.sandbox.launcher import WarmProcess

MIB = 2**20


def warm_process(options: Options) -> WarmProcess:
    """Of which the workers are forks; it loads what the chosen exercises need."""
    needed = dict.fromkeys(each for slug in options.slugs for each in exercises()[slug].imports)
    return WarmProcess(options.memory * MIB, int(options.patience) + 1, [*needed])
