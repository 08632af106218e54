"""What is timed, by name. Each timing yields its figures; a limit is what was once promised."""

import shutil
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measures import (
    PYTEST,
    Figure,
    Graded,
    command,
    cpu,
    descendants_cpu,
    medians,
    resident,
    seconds,
    submissions,
    write_class,
)
from kata.class_verdict import submission_to_dict, timeless
from kata.course.catalogue import bugs, changed, target_of
from kata.course.cells import Cell
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.source import read
from kata.course.target import Target, reference
from kata.diagnosis.diagnose import diagnose
from kata.diagnosis.observe import observe
from kata.grading.cli import cores
from kata.grading.cluster import LOCAL, Cluster
from kata.grading.collecting.submissions import Submission
from kata.grading.judge import judge_for
from kata.grading.options import Options
from kata.grading.pool import JudgePool
from kata.judging.judge import import_torch, judge
from kata.notebook.check import result_for
from kata.notebook.kernel import WorkInCells
from kata.notebook.results import Request

EX09, MS = "ex09_multi_head_attention", 1000
ELSEWHERE = Path(tempfile.gettempdir(), "exercises")  # no folder of a learner


def learner(scale: Namespace) -> Iterator[Figure]:
    """What a learner waits for, against what pytest and torch take by themselves."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        for folder in ("fresh", "ex09", "empty", "other"):
            (home / folder).mkdir()
        (home / "other" / "test_one.py").write_text("def test_one():\n    assert True\n")
        for exercise in exercises().values():
            shutil.copy(exercise.stub, home / "fresh")
        shutil.copy(exercises()[EX09].solution, home / "ex09")
        without = ["-p", "no:kata.plugin"]
        fresh, empty, cold, torch = medians(
            scale.rounds,
            command(*PYTEST, "fresh", folder=home),
            command(*PYTEST, *without, "empty", folder=home),
            command(*PYTEST, "ex09", folder=home),
            command(sys.executable, "-c", "import torch, pytest", folder=home),
        )
        other = [command(*PYTEST, *words, "other", folder=home) for words in ([], without)]
        ours, theirs = medians(4 * scale.rounds, *other, timer=cpu)
    yield Figure("nothing started / an empty pytest run", fresh / empty, "x", 1.2)
    yield Figure("ex09 cold / python -c 'import torch, pytest'", cold / torch, "x", 1.05)
    yield Figure("added to another project's pytest run", ours - theirs, "s", 0.01)


def suites(scale: Namespace) -> Iterator[Figure]:
    """The suites on the solutions, on one core, after imports."""
    import_torch()
    sys.modules["torch"].set_num_threads(1)
    runs = {slug: partial(judge, exercise, reference()) for slug, exercise in exercises().items()}
    times = dict(zip(runs, medians(scale.rounds, *runs.values()), strict=True))
    core = sum(times[slug] for slug, exercise in exercises().items() if exercise.core)
    claims = [claim.seconds for run in runs.values() for claim in run().claims]
    yield Figure("suite of ex09", times[EX09], "s", 0.06)
    yield Figure("suites of the core", core, "s", 0.4)
    yield Figure("suites of all exercises", sum(times.values()))
    yield Figure("slowest claim", max(claims), "s", 0.1)


def watch(scale: Namespace) -> Iterator[Figure]:
    """From a save of ex09 to its verdict, and what many saves leave behind."""
    exercise = exercises()[EX09]
    texts = {"✓": changed(exercise), "✗": changed(exercise, bugs(exercise)[0]), "broken": "def ("}
    words = [sys.executable, "-u", "-m", "kata", "watch", "--folder", "."]
    with tempfile.TemporaryDirectory() as home:
        path, saves = Path(home, exercise.filename), count()
        path.write_text(texts["✓"])
        watcher = subprocess.Popen(words, cwd=home, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip

        def save(kind: str) -> None:
            path.write_text(f"{texts[kind]}\n# {next(saves)}\n")
            verdict = f"{'✓' if kind == '✓' else '✗'} {EX09}"
            next(line for line in watcher.stdout or () if verdict in line)

        def waited(kind: str) -> float:
            # A learner reads, and the next judge starts.
            time.sleep(1)
            return seconds(partial(save, kind))

        save("✗")
        right, wrong = ([waited(kind) for _ in range(5 * scale.rounds)] for kind in ("✓", "✗"))
        before = resident(watcher.pid)
        for _ in range(scale.saves // 2):
            save("broken")
            save("✓")
        after = resident(watcher.pid)
        watcher.kill()
    yield Figure("from a save to a right verdict, median", median(right), "s", 0.15)
    yield Figure("from a save to a wrong verdict, median", median(wrong))
    yield Figure(f"memory after {scale.saves} saves, half of them broken", after / before, "x", 1.1)


def notebook(scale: Namespace) -> Iterator[Figure]:
    """What `check` adds to the bare suite, on right and on wrong answers."""

    def check(exercise: Exercise, text: str) -> None:
        result_for(WorkInCells([Cell(1, text)], ELSEWHERE), Request(exercise))

    ratios = []
    for exercise in exercises().values():
        calls: list[Callable[[], object]] = []
        for text in (changed(exercise), changed(exercise, bugs(exercise)[0])):
            bare = partial(judge, exercise, target_of(exercise, text))
            calls += [bare, partial(check, exercise, text)]
        bare_right, right, bare_wrong, wrong = medians(scale.rounds, *calls, timer=cpu)
        ratios.append((right / bare_right, wrong / bare_wrong))
    rights, wrongs = zip(*ratios, strict=True)
    yield Figure("check of a right answer / bare suite, median", median(rights), "x")
    yield Figure("check of a wrong answer, named / bare suite, median", median(wrongs), "x")


def diagnosis(_: Namespace) -> Iterator[Figure]:
    """How long it takes to name the mistake in an answer by somebody who saw only the stub."""
    times = []
    for path in sorted((ROOT / "tests" / "specimens" / "strangers").glob("*/*/*.py")):
        exercise, text = exercises()[path.parent.name], read(path).text
        findings = observe(exercise, target_of(exercise, text)).findings
        times.append(cpu(partial(diagnose, exercise, findings, text=text)))
    yield Figure(f"naming the mistakes of {len(times)} answers, median", MS * median(times), "ms")
    yield Figure("95 % within", MS * sorted(times)[int(0.95 * len(times))], "ms")


def grader(scale: Namespace) -> Iterator[Figure]:
    """A class that hands in ex09, and one that hands in everything."""
    for name, slugs in (("ex09", [EX09]), ("all exercises", [*exercises()])):
        yield from _class(name, slugs, scale)
        yield from _steps(name, slugs, scale)


def _class(name: str, slugs: list[str], scale: Namespace) -> Iterator[Figure]:
    """One more submission in a class, against a pytest process for it; start, memory, growth."""
    sizes = scale.students // 6 or 1, scale.students // 2, scale.students
    with tempfile.TemporaryDirectory() as home:
        folders = [write_class(Path(home, str(size)), slugs, size) for size in sizes]
        runs = [Graded(folder, "--no-diagnosis") for folder in folders]
        named = [Graded(folder) for folder in folders]
        with ThreadPoolExecutor(cores()) as pool:
            runs_alone = [command(*PYTEST, student) for student in folders[1].iterdir()]
            alone = seconds(lambda: [*pool.map(lambda run: run(), runs_alone)])
        (torch,) = medians(scale.rounds, command(sys.executable, "-c", "import torch"))
    small, large = (
        (runs[place + 1].seconds - runs[place].seconds) / (sizes[place + 1] - sizes[place])
        for place in (0, 1)
    )
    slower = (named[2].seconds - named[0].seconds) / (runs[2].seconds - runs[0].seconds)
    yield Figure(f"{name}: one more submission", MS * large, "ms")
    yield Figure(f"{name}: a pytest process for each / the grader", alone / sizes[1] / large, "x")
    yield Figure(f"{name}: with diagnosis / without", slower, "x", 1.4)
    yield Figure(f"{name}: first verdict / import torch", runs[0].first / torch, "x")
    yield Figure(f"{name}: a submission, large class / small class", large / small, "x", 1.1)
    yield Figure(f"{name}: memory of the grader, likewise", runs[2].peak / runs[0].peak, "x", 1.1)


def _steps(name: str, slugs: list[str], scale: Namespace) -> Iterator[Figure]:
    """Where the CPU time of grading goes: the judge, its workers; and the bare suites beside."""
    work = [*islice(submissions(slugs), scale.students)]
    grading = judge_for(Options(tuple(slugs), dict.fromkeys(slugs, 1.0), 1, diagnosis=False))

    def bare() -> None:
        for files in work:
            for slug in slugs:
                judge(exercises()[slug], Target(Path("theirs"), files))

    grading.grade(Submission("ann", next(submissions(slugs))))
    before, start = descendants_cpu(), time.process_time()
    for files in work:
        grading.grade(Submission("ann", files))
    judging, working = time.process_time() - start, descendants_cpu() - before
    grading.end()
    yield Figure(f"{name}: CPU of the judge", MS * judging / len(work), "ms")
    yield Figure(f"{name}: CPU of its workers", MS * working / len(work), "ms")
    yield Figure(f"{name}: CPU of the bare suites", MS * cpu(bare) / len(work), "ms")


def cluster(scale: Namespace) -> Iterator[Figure]:
    """One more submission on a scheduler and workers of this machine, against a pool of judges."""
    options = Options((EX09,), {EX09: 1.0}, seed=1, diagnosis=False)
    work = [Submission(f"s{number:05}", files) for number, files
            in enumerate(islice(submissions([EX09]), 5 * scale.students))]  # fmt: skip

    def graded(judges: JudgePool | Cluster) -> tuple[float, dict[str, Any]]:
        verdicts, start = {}, 0.0
        try:
            for submission, verdict in judges.grade(iter(work)):
                start = start or time.perf_counter()
                verdicts[submission.student] = timeless(submission_to_dict(verdict))
        finally:
            judges.end()
        return time.perf_counter() - start, verdicts

    here, pooled = graded(JudgePool(options, cores()))
    there, clustered = graded(Cluster(options, LOCAL, cores()))
    different = sum(pooled[name] != clustered.get(name) for name in pooled)
    yield Figure("one more submission on the cluster / in a pool", there / here, "x")
    yield Figure("verdicts that are lost or different", different, "", 0)


ALL = (learner, suites, watch, notebook, diagnosis, grader, cluster)
TIMINGS = {timing.__name__: timing for timing in ALL}
