"""Put the exercises that you started into one zip file to hand in."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.commands.common import (
    add_folder,
    chosen,
    folder_of,
    none_started,
    read_own,
    unused,
    write,
)
from kata.course.curriculum import Exercise, exercises, stray
from kata.course.notebook_file import NotebookError, notebook
from kata.errors import UserError
from kata.files import read_file
from kata.grading.collecting.names import NOTEBOOK
from kata.grading.collecting.notebooks import exercises_in
from kata.grading.reports.uploads import ArchiveFile, zipped
from kata.learner.folder import taken
from kata.learner.progress import Progress
from kata.learner.status import standing as standing_of
from kata.learner.status import statuses
from kata.proofs.proof import NAME as PROOFS
from kata.proofs.proof import begun as begun_proofs
from kata.proofs.proof import proofs_of
from kata.terminal.board import standing
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

LINK = "it is a link: copy what it leads to, if it is yours to hand in"
NOTEBOOKS = "notebooks"  # the folder beside that of the exercises where `kata notebooks` puts them


@dataclass(frozen=True)
class Book:
    """A notebook."""

    name: str
    content: bytes = b""
    slugs: tuple[str, ...] = ()  # of the exercises that are begun in it
    problem: str = ""  # why it cannot be read


def arguments(parser: ArgumentParser) -> None:
    """Add the command's own options."""
    parser.add_argument("--out", type=Path, default=Path("submission.zip"), help="the zip file")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Write the zip; print what is in it, how it stands, and what is left out."""
    folder = folder_of(options)
    verdicts = list(statuses(folder, chosen(options)))
    books = [_book(path, [*chosen(options)]) for path in _notebooks(folder)]
    notebooks = [book for book in books if book.slugs]
    begun = list(_begun_in_files(folder, chosen(options).values(), notebooks))
    if not begun and not notebooks:
        _tell_of_strays(folder, books)
        raise UserError(none_started(folder))
    path = unused(options.out) if options.out.exists() else options.out
    proofs = list(_proofs(folder, [*chosen(options)]))
    write(path, zipped([*_files(folder, begun), *_archived(notebooks), *proofs]))
    _tell(begun, verdicts, notebooks)
    for proof in proofs:
        print(f"  {proof.path:<32} your own tests")
    _tell_of_strays(folder, books)
    print(clean(f"written: {path}"))
    return 0


def _begun_in_files(
    folder: Path, chosen: Iterable[Exercise], notebooks: list[Book]
) -> Iterator[ExerciseVerdict]:
    """Verdicts on the files that are begun, unless the work went on in a notebook of that name."""
    memory = Progress(folder)
    went_on = {
        slug for book in notebooks for slug in book.slugs if book.name == f"{slug}{NOTEBOOK}"
    }
    for exercise in chosen:
        is_older = exercise.slug in went_on and taken(folder, exercise).in_cells
        path = folder / exercise.filename
        if path.is_file() and not path.is_symlink() and not is_older:
            verdict = standing_of(folder, exercise, memory)
            if verdict.state is not State.NOT_STARTED:
                yield verdict


def _files(folder: Path, begun: list[ExerciseVerdict]) -> Iterator[ArchiveFile]:
    for verdict in begun:
        path = folder / exercises()[verdict.slug].filename
        yield ArchiveFile(path.name, read_own(path))


def _archived(notebooks: list[Book]) -> Iterator[ArchiveFile]:
    yield from (ArchiveFile(book.name, book.content) for book in notebooks)


def _proofs(folder: Path, chosen: list[str]) -> Iterator[ArchiveFile]:
    """The learner's own tests, in the folder from which the grader takes them."""
    for proof in sorted(begun_proofs(proofs_of(folder)), key=lambda proof: proof.exercise.slug):
        if proof.exercise.slug in chosen and not proof.source.path.is_symlink():
            name = f"{PROOFS}/{proof.exercise.filename}"
            yield ArchiveFile(name, proof.source.path.read_bytes())


def _notebooks(folder: Path) -> list[Path]:
    """The notebooks in this folder and in the one beside it; of a name the first one."""
    folders = (folder.absolute().parent / NOTEBOOKS, folder)
    paths = {path.name: path for place in folders for path in place.glob(f"*{NOTEBOOK}")}
    return [paths[name] for name in sorted(paths)]


def _book(path: Path, chosen: list[str]) -> Book:
    if path.is_symlink():
        return Book(path.name, problem=LINK)
    try:
        content = read_file(path)
        extracts = exercises_in(path.name, notebook(content))
    except (NotebookError, OSError) as error:
        return Book(path.name, problem=getattr(error, "strerror", None) or str(error))
    slugs = tuple(extract.slug for extract in extracts if extract.begun and extract.slug in chosen)
    return Book(path.name, content, slugs)


def _tell(
    begun: list[ExerciseVerdict], verdicts: list[ExerciseVerdict], notebooks: list[Book]
) -> None:
    for verdict in begun:
        filename = exercises()[verdict.slug].filename
        print(f"  {filename:<32} {standing(verdict)}")
    in_files, in_notebooks = (
        {verdict.slug for verdict in begun},
        {slug for book in notebooks for slug in book.slugs},
    )
    for book in notebooks:
        print(clean(f"  {book.name:<32} holds {_shorts(book.slugs)}"))
    if both := sorted(in_files & in_notebooks):
        print(f"in a file and in a notebook: {_shorts(both)}; the grader takes the file")
    if left := [
        verdict.slug for verdict in verdicts if verdict.slug not in in_files | in_notebooks
    ]:
        print(f"not started: {', '.join(left)}")


def _shorts(slugs: Iterable[str]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


def _tell_of_strays(folder: Path, notebooks: list[Book]) -> None:
    for book in notebooks:
        if book.problem:
            print(clean(f"left out: {book.name}: {book.problem}"))
    exercise_files = sorted(folder.glob("ex[0-9]*.py"))
    for path in (*exercise_files, *sorted(proofs_of(folder).glob("*.py"))):
        if path.is_symlink() or not path.is_file():
            reason = LINK if path.is_symlink() else "it is no plain file"
            print(clean(f"left out: {path.name}: {reason}"))
    for path in exercise_files:
        if path.stem not in exercises() and not path.is_symlink():
            print(clean(f"left out: {stray(path.name, path.stem)}"))
