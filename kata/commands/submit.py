"""Put the exercises that you started into one zip file to hand in."""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kata.commands.common import add_folder, folder_of, none_started, track_of
from kata.course.curriculum import Exercise, exercises, stray
from kata.course.notebook_file import NotebookError, notebook
from kata.errors import UserError
from kata.files import read_file
from kata.grading.collecting.names import NOTEBOOK
from kata.grading.collecting.notebooks import exercises_in
from kata.learner.folder import taken
from kata.learner.own_files import read_own
from kata.learner.progress import Progress
from kata.learner.status import standing, statuses
from kata.learner.submission import Entry, submit
from kata.proofs.proof import NAME as PROOFS
from kata.proofs.proof import begun as begun_proofs
from kata.proofs.proof import proofs_of
from kata.text import clean
from kata.verdict import ExerciseVerdict, State

LINK = "it is a link: copy what it leads to, if it is yours to hand in"
NOTEBOOKS = "notebooks"  # the folder beside that of the exercises where `kata notebooks` puts them


@dataclass(frozen=True)
class Book:
    """A notebook.

    Attributes:
        name: of the file.
        content: its bytes.
        slugs: the exercises that are begun in it.
        problem: why it cannot be read; else empty.
    """

    name: str
    content: bytes = b""
    slugs: tuple[str, ...] = ()
    problem: str = ""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("submission.zip"), help="the zip file")
    add_folder(parser)


def run(options: Namespace) -> int:
    """Write the zip; print what is in it, how it stands, and what is left out."""
    folder, track = folder_of(options), track_of(options)
    verdicts = list(statuses(folder, track))
    books = [_book(path, track) for path in _notebooks(folder)]
    notebooks = [book for book in books if book.slugs]
    begun = list(_begun_in_files(folder, track.values(), notebooks))
    if not begun and not notebooks:
        for line in _left_out(folder, books):
            print(line)
        raise UserError(none_started(folder))
    answers = [*_answer_files(folder, begun), *_notebook_files(notebooks)]
    proofs = list(_proofs(folder, track.values()))
    path = submit([*answers, *proofs], options.out)
    lines = [entry.line for entry in answers]
    lines += _remarks(begun, notebooks, verdicts)
    lines += [entry.line for entry in proofs]
    print(*lines, *_left_out(folder, books), clean(f"written: {path}"), sep="\n")
    return 0


def _begun_in_files(
    folder: Path, track: Iterable[Exercise], notebooks: list[Book]
) -> Iterator[ExerciseVerdict]:
    """Yield verdicts on files that are begun, unless work went on in a notebook of that name."""
    memory = Progress(folder)
    went_on = {
        slug for book in notebooks for slug in book.slugs if book.name == f"{slug}{NOTEBOOK}"
    }
    for exercise in track:
        is_older = exercise.slug in went_on and taken(folder, exercise).in_cells
        path = folder / exercise.filename
        if path.is_file() and not path.is_symlink() and not is_older:
            verdict = standing(folder, exercise, memory)
            if verdict.state is not State.NOT_STARTED:
                yield verdict


def _answer_files(folder: Path, begun: list[ExerciseVerdict]) -> Iterator[Entry]:
    for verdict in begun:
        yield Entry.of(verdict, read_own(folder / exercises()[verdict.slug].filename))


def _notebook_files(notebooks: list[Book]) -> Iterator[Entry]:
    for book in notebooks:
        yield Entry(book.name, book.content, f"holds {_shorts(book.slugs)}")


def _proofs(folder: Path, track: Collection[Exercise]) -> Iterator[Entry]:
    """Yield the learner's own tests, in the folder from which the grader takes them."""
    for proof in sorted(begun_proofs(proofs_of(folder)), key=lambda proof: proof.exercise.slug):
        if proof.exercise in track and not proof.source.path.is_symlink():
            path = f"{PROOFS}/{proof.exercise.filename}"
            yield Entry(path, proof.source.path.read_bytes(), "your own tests")


def _notebooks(folder: Path) -> list[Path]:
    """Return the notebooks of this folder and of the one beside it; this one wins."""
    folders = (folder.absolute().parent / NOTEBOOKS, folder)
    paths = {path.name: path for place in folders for path in place.glob(f"*{NOTEBOOK}")}
    return [paths[name] for name in sorted(paths)]


def _book(path: Path, track: Collection[str]) -> Book:
    if path.is_symlink():
        return Book(path.name, problem=LINK)
    try:
        content = read_file(path)
        extracts = exercises_in(path.name, notebook(content))
    except (NotebookError, OSError) as error:
        return Book(path.name, problem=getattr(error, "strerror", None) or str(error))
    slugs = tuple(extract.slug for extract in extracts if extract.begun and extract.slug in track)
    return Book(path.name, content, slugs)


def _remarks(
    begun: list[ExerciseVerdict], notebooks: list[Book], verdicts: list[ExerciseVerdict]
) -> Iterator[str]:
    in_files = {verdict.slug for verdict in begun}
    in_notebooks = {slug for book in notebooks for slug in book.slugs}
    if both := sorted(in_files & in_notebooks):
        yield f"in a file and in a notebook: {_shorts(both)}; the grader takes the file"
    slugs = [verdict.slug for verdict in verdicts]
    if left := [slug for slug in slugs if slug not in in_files | in_notebooks]:
        yield f"not started: {', '.join(left)}"


def _shorts(slugs: Iterable[str]) -> str:
    return ", ".join(exercises()[slug].short for slug in slugs)


def _left_out(folder: Path, books: list[Book]) -> Iterator[str]:
    """Say which files are not handed in, and why."""
    for book in books:
        if book.problem:
            yield clean(f"left out: {book.name}: {book.problem}")
    answers = sorted(folder.glob("ex[0-9]*.py"))
    for path in (*answers, *sorted(proofs_of(folder).glob("*.py"))):
        if path.is_symlink() or not path.is_file():
            reason = LINK if path.is_symlink() else "it is no plain file"
            yield clean(f"left out: {path.name}: {reason}")
    for path in answers:
        if path.stem not in exercises() and not path.is_symlink():
            yield clean(f"left out: {stray(path.name, path.stem)}")
