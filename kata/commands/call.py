"""Open a failing claim in Python: its arguments are bound, and call() makes the call again.

With a program on standard input it runs that instead. --repro writes the claim as a script that
runs without the kata.
"""

import ast
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kata.commands.common import add_folder, folder_of, source_of
from kata.course.curriculum import Exercise, exercise_named
from kata.errors import UserError
from kata.files import read_named
from kata.learner.own_files import write
from kata.learner.progress import Progress, learner_target
from kata.learner.waiting_judge import judged
from kata.terminal.message import message
from kata.terminal.style import style_of
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

if TYPE_CHECKING:
    from kata.judging.judge import Claim
    from kata.learner.recording import Recording

FINE = {State.PASSED, State.SKIPPED, State.BLOCKED}
MOST_NUMBERS = 12  # of other claims that fail; --list shows all
OWN = '"""ex'  # the beginning of a script that this command has written


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("exercise", help="ex05, or ex05_causal_masks")
    parser.add_argument("claim", nargs="?", type=int, help="its number; else the first that fails")
    parser.add_argument("--list", action="store_true", help="the claims that fail, with numbers")
    parser.add_argument("--repro", type=Path, metavar="FILE", help="write a script instead")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Find the claim, make it again, and hand over its arguments."""
    exercise, folder = exercise_named(options.exercise), folder_of(options).absolute()
    # Raise the error that says why the file cannot be read.
    source_of(folder, exercise)
    verdict = judged(folder, exercise)
    if verdict.state is State.NOT_STARTED:
        raise UserError(f"{exercise.slug} is not started: there is no call to look at yet")
    failing = _failing(exercise, verdict)
    if options.list:
        print(*map(_row, failing), sep="\n")
        return 0
    recording = _recording(exercise, folder, _claim(exercise, failing, options.claim))
    if options.repro:
        return _write(options.repro, recording)
    return _open(recording, failing)


def _failing(exercise: Exercise, verdict: ExerciseVerdict) -> "list[Claim]":
    """Return the claims that fail, without repetition, in the order of the suite."""
    # Late, because it imports numpy and torch.
    from kata.judging.judge import suite

    failed = {claim.name for claim in verdict.claims if claim.state not in FINE}
    claims = {claim.number: claim for claim in reversed(suite(exercise)) if claim.id in failed}
    return sorted(claims.values(), key=lambda claim: claim.number)


def _claim(exercise: Exercise, failing: "list[Claim]", number: int | None) -> "Claim":
    from kata.judging.judge import suite

    if number is None:
        if not failing:
            raise UserError(
                f"all claims of {exercise.slug} hold; "
                f"`kata call {exercise.short} NUMBER` opens one of them all the same"
            )
        return failing[0]
    claims = [claim for claim in failing if claim.number == number]
    claims += [claim for claim in suite(exercise) if claim.number == number]
    if not claims:
        count = suite(exercise)[-1].number
        raise UserError(
            f"{exercise.short} has no claim {number}; its claims are numbered from 1 to {count}"
        )
    return claims[0]


def _row(claim: "Claim") -> str:
    return clean(f"{claim.number:>3}  {claim.sentence}")


def _recording(exercise: Exercise, folder: Path, claim: "Claim") -> "Recording":
    from kata.learner.recording import record

    recording = record(exercise, learner_target(folder, Progress(folder)), claim)
    if not recording.steps:
        head = f"claim {claim.number} of {exercise.short} fails before anything is called:"
        failure = recording.verdict.message
        raise UserError(
            f"{head}\n{message(failure, style_of(sys.stderr)) if failure else ''}".strip()
        )
    return recording


def _write(path: Path, recording: "Recording") -> int:
    """Write the script, but never over a file of the learner's."""
    from kata.learner.script import script

    if path.exists() and not _is_own(path):
        raise UserError(f"{path} exists and was not written by `kata call`: choose another name")
    write(path, script(recording))
    print(clean(f"written: {path}"))
    return 0


def _is_own(path: Path) -> bool:
    """Return whether a file is a script of this command, and neither the learner's nor a pipe."""
    with suppress(OSError):
        return read_named(path).decode(errors="replace").startswith(OWN)
    return False


def _open(recording: "Recording", failing: "list[Claim]") -> int:
    names = _names(recording)
    if not sys.stdin.isatty():
        return _run(sys.stdin.read(), names)
    from kata.learner.script import Console

    _remember(recording.written)
    Console(names).interact(banner=_banner(recording, failing), exitmsg="")
    return 0


def _names(recording: "Recording") -> dict[str, Any]:
    """Return the names of the learner's file, and the arguments of the call."""
    objects = recording.restored()
    names = dict(objects.defined) | recording.arguments(objects)
    names["call"] = recording.again
    if isinstance(recording.steps[-1].subject, int):
        names["module"] = recording.function(objects)
    if recording.case.compared:
        names["expected"] = recording.expected
    return names


def _banner(recording: "Recording", failing: "list[Claim]") -> str:
    """Say what fails, which names are bound, and which other claims fail."""
    from kata.judging.judge import call_of

    style, claim = style_of(sys.stdout), recording.claim
    short = recording.attempt.exercise.short
    lines = [style.paint(f"{short}, claim {claim.number}: {claim.name}", "bold")]
    if failure := recording.verdict.message:
        # The command that has opened this console is of no use in it.
        command = call_of(recording.case.place)
        inputs = "\n".join(line for line in failure.inputs.splitlines() if line != command)
        lines += [message(replace(failure, inputs=inputs), style)]
    names = ", ".join(recording.arguments(recording.attempt.objects))
    if compared := recording.case.compared:
        part = f"what {compared.what} should be" if compared.what else "what should come back"
        lines += style.wrap(f"`expected`: {part}")
    if others := [str(other.number) for other in failing if other != claim]:
        numbers = ", ".join(others[:MOST_NUMBERS])
        numbers += ", …" if len(others) > MOST_NUMBERS else ""
        lines += style.wrap(f"also failing: {numbers} (`kata call {short} NUMBER`)")
    lines += style.wrap(f"{names}: what it was given. `call()` makes the call again:")
    return "\n".join([*lines, f"    {recording.written}"])


def _remember(line: str) -> None:
    """Let the arrow key bring up this line, where the system can edit lines."""
    with suppress(ImportError):
        import readline

        readline.add_history(line)


def _run(program: str, names: Mapping[str, Any]) -> int:
    """Run every statement as if it were typed, so that values are printed."""
    from kata.learner.script import traceback_text

    names = dict(names)
    try:
        for node in ast.parse(program).body:
            exec(compile(ast.Interactive([node]), "<stdin>", "single"), names)
    except Exception as error:
        print(traceback_text(error), end="", file=sys.stderr)
        return 1
    return 0
