"""Whether everything that belongs to an exercise is there, can be read, and is finished."""

import os
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from kata.course.catalogue import CatalogueError, bugs
from kata.course.curriculum import CODE, EXERCISES, LIBRARIES, ROOT, Exercise, exercises
from kata.course.source import UnusableError, contract, read
from kata.course.target import reference
from kata.judging.judge import suite
from kata.proofs.stubs import FOLDER, proof_stub

FIGURES = CODE / "kata" / "handouts" / "figures"
CAPTIONS = FIGURES / "texts.toml"
SHEETS = CODE / "kata" / "handouts" / "texts"
GUIDE = SHEETS / "guide.toml"
ENTRY = EXERCISES / "curriculum.toml"
HINTS = 3  # for each function
SHORTEST = 3  # letters of a text
UNFINISHED = "TODO"


def accepted(exercise: Exercise) -> list[Path]:
    """The right answers in other styles."""
    return sorted(exercise.accepted.glob("*.py"))


def figure_file(exercise: Exercise) -> Path:
    """The module that draws its figure; an exercise may have none."""
    return FIGURES / exercise.filename


def sheet_file(exercise: Exercise) -> Path:
    """What only its sheet says; an exercise may have none."""
    return SHEETS / f"{exercise.slug}.toml"


def every_face_is_there(exercise: Exercise) -> Iterator[str]:
    """Nothing is missing that the other gates need, and all of it can be read."""
    faces: dict[Path, Callable[[], object]] = {
        exercise.stub: lambda: read(exercise.stub),
        exercise.solution: lambda: _names(exercise),
        exercise.suite: lambda: _claims(exercise),
        exercise.bugs: lambda: bugs(exercise),
        exercise.accepted: lambda: [read(path) for path in accepted(exercise)],
        CAPTIONS: _captions,
    }
    found = [text for path, load in faces.items() for text in _problem(path, load)]
    yield from (*_entry(exercise), *found)
    for name in () if found else contract(exercise).names:
        if name not in exercise.hints:
            yield f"{shown(ENTRY)} has no hints for {name}"


def _problem(path: Path, load: Callable[[], object]) -> Iterator[str]:
    """A sentence if a file is missing or cannot be loaded, whatever is wrong with it."""
    try:
        if not path.exists():
            yield f"{shown(path)} is missing"
        else:
            load()
    except (Exception, SystemExit) as error:
        known = isinstance(error, (UnusableError, CatalogueError))
        kind = "" if known else f"{type(error).__name__}: "
        yield f"{shown(path)} cannot be used: {kind}{' '.join(str(error).split())}"


def shown(path: Path) -> str:
    """A path as one would type it in the folder of the kata."""
    return os.path.relpath(path, ROOT)


def _names(exercise: Exercise) -> None:
    """The solution can be imported and has a public name."""
    reference().module(exercise.slug)
    if not contract(exercise).names:
        raise UnusableError("it has no public function or class")


def _claims(exercise: Exercise) -> None:
    if not suite(exercise):
        raise UnusableError("it has no claim: no function is called test_…")


def _entry(exercise: Exercise) -> Iterator[str]:
    """The entry has a title, minutes and points, and needs earlier exercises only."""
    if exercise.library not in LIBRARIES:
        yield f"the library is {exercise.library}, expected one of {', '.join(LIBRARIES)}"
    if not exercise.title.strip() or exercise.minutes <= 0 or exercise.points <= 0:
        yield "the title is empty, or minutes or points are not above zero"
    slugs = list(exercises())
    earlier = slugs[: slugs.index(exercise.slug)]
    for need in set(exercise.needs) - set(earlier):
        yield f"{exercise.slug} needs {need}, which is not an earlier exercise"


def every_name_has_its_hints(exercise: Exercise) -> Iterator[str]:
    """Three different hints for each public name of the solution; none of them is code."""
    names = contract(exercise).names
    for name, texts in exercise.hints.items():
        if name not in names:
            yield f"there are hints for {name}, which is not a public name of the solution"
        if len(set(texts)) != HINTS or len(texts) != HINTS:
            yield f"{len(texts)} hints for {name}, {HINTS} different ones are needed"
        if any(len(text.strip()) < SHORTEST or "return " in text for text in texts):
            yield f"a hint for {name} is empty or gives the code"


def delegates_are_not_the_solution(exercise: Exercise) -> Iterator[str]:
    """The solution does not use anything that is listed as doing the learner's work."""
    from kata.grading.flags import flags  # it needs the extra "grading"

    for flag in flags(exercise, read(exercise.solution).text):
        if flag.kind == "delegates":
            yield f"the solution itself would be flagged: {flag.text}"
    if any(len(delegate) < SHORTEST for delegate in exercise.delegates):
        yield "a pattern of the delegates is shorter than three letters"


def sheet_text_is_whole(exercise: Exercise) -> Iterator[str]:
    """What only the sheet says, if there is such a text, is complete and true of the solution."""
    from kata.handouts.examples import texts

    path = sheet_file(exercise)
    if path.exists():
        yield from _problem(path, lambda: texts(exercise))


def figure_is_whole(exercise: Exercise) -> Iterator[str]:
    """A figure has a module that draws it, and its texts; or neither."""
    from kata.handouts.figures import figure

    path, captioned = figure_file(exercise), exercise.slug in _captions()
    if path.exists() and captioned:
        yield from _problem(path, lambda: figure(exercise.slug))
    elif path.exists():
        yield f"{shown(CAPTIONS)} has no texts for {exercise.slug}, which has a figure"
    elif captioned:
        yield f"{shown(path)} is missing, but {shown(CAPTIONS)} has its texts"


def _captions() -> dict[str, dict[str, str]]:
    return tomllib.loads(CAPTIONS.read_text(encoding="utf-8"))


def nothing_says_todo(exercise: Exercise) -> Iterator[str]:
    """What `kata new` has marked is written. The stub follows from the solution."""
    files = [exercise.solution, exercise.suite, exercise.bugs, *accepted(exercise)]
    for path in (*files, figure_file(exercise), sheet_file(exercise)):
        lines = [str(at) for at, line in enumerate(_lines(path), start=1) if UNFINISHED in line]
        if lines:
            yield f"{shown(path)} says {UNFINISHED} in line {', '.join(lines)}"
    hints = (text for texts in exercise.hints.values() for text in texts)
    entry = " ".join([exercise.title, *exercise.delegates, *hints])
    for path, text in {ENTRY: entry, CAPTIONS: str(_captions().get(exercise.slug))}.items():
        if UNFINISHED in text:
            yield f"{shown(path)} says {UNFINISHED} about {exercise.slug}"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def optional_parts_missing(exercise: Exercise) -> Iterator[str]:
    """Notes about what an exercise may do without."""
    if not figure_file(exercise).exists():
        yield f"there is no figure; {shown(figure_file(exercise))} would draw one"
    if not sheet_file(exercise).exists():
        yield f"the sheet has nothing to work out; {shown(sheet_file(exercise))} would say it"
    if exercise.slug not in tomllib.loads(GUIDE.read_text(encoding="utf-8")):
        yield f"{shown(GUIDE)} has nothing to say first about {exercise.slug}"
    if not any(bug.level for bug in bugs(exercise)):
        here = f"kata.upkeep.levels {exercise.short}"
        yield f"nothing is marked `level = 1`; `python -m {here}` proposes wrong answers"


def proof_file(exercise: Exercise) -> Path:
    """Where a learner's own tests of it are, in a checkout."""
    return FOLDER / exercise.filename


def proof_follows_from_the_contract(exercise: Exercise) -> Iterator[str]:
    """It is what is made of the contract today; an installed kata makes it when it is needed."""
    path = proof_file(exercise)
    if ROOT != CODE:
        return
    again = f"`kata reset {exercise.short} --proof` writes it again"
    if not path.is_file():
        yield f"proofs/{path.name} is missing; {again}"
    elif path.read_text(encoding="utf-8") != proof_stub(exercise):
        yield f"proofs/{path.name} is not what its contract asks for; {again}"
