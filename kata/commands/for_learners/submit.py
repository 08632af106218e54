"""Put the exercises that you started into one zip file to hand in."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from kata.commands.common import add_folder, chosen, folder_of, unused, write
from kata.course.curriculum import exercises
from kata.course.naming import did_you_mean
from kata.errors import UserError
from kata.grading.platforms.bundle import ArchiveFile, zipped
from kata.learner.status import known
from kata.terminal.board import standing
from kata.verdict import ExerciseVerdict, State
from kata.words import say


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("--out", type=Path, default=Path("submission.zip"), help="the zip file")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Write the zip; print what is in it, how it stands, and what is left out."""
    folder = folder_of(options)
    verdicts = list(known(folder, chosen(options)))
    begun = [each for each in verdicts if each.state is not State.NOT_STARTED]
    if not begun:
        raise UserError(say("commands.submit.nothing", folder=folder))
    path = unused(options.out) if options.out.exists() else options.out
    names = [exercises()[each.slug].filename for each in begun]
    write(path, zipped(ArchiveFile(name, (folder / name).read_bytes()) for name in names))
    _tell(folder, begun, verdicts)
    print(say("commands.submit.written", path=path))
    return 0


def _tell(folder: Path, begun: list[ExerciseVerdict], verdicts: list[ExerciseVerdict]) -> None:
    for each in begun:
        filename = exercises()[each.slug].filename
        print(say("commands.submit.file", filename=filename, standing=standing(each)))
    if left := [each.slug for each in verdicts if each not in begun]:
        print(say("commands.submit.left-out", slugs=", ".join(left)))
    for path in sorted(folder.glob("ex[0-9]*.py")):
        if path.stem not in exercises():
            close = did_you_mean(path.stem, list(exercises()))
            print(say("commands.submit.stray", name=path.name, close=close))
