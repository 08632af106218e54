"""The files of an exercise: where they are, what they must hold, and the skeletons of new ones."""

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from kata.course import curriculum
from kata.course.catalogue import CatalogueError, bugs
from kata.course.contract import stub_of
from kata.course.curriculum import CODE, EXERCISES, LIBRARIES, ROOT, Exercise
from kata.course.source import UnusableError, contract, functions, parse, read
from kata.course.target import reference
from kata.judging.judge import suite
from kata.proofs.proof import FOLDER as PROOFS
from kata.proofs.proof import proof_stub, proof_stub_of

TEXTS = CODE / "kata" / "handouts" / "texts"
GUIDE = TEXTS / "guide.toml"
CAPTIONS = CODE / "kata" / "handouts" / "figures" / "texts.toml"
ENTRY = EXERCISES / "curriculum.toml"
FEWEST_BUGS = {"ex01": 8, "ex02": 8}
FEWEST_BUGS_ELSEWHERE = 12
FEWEST_ACCEPTED = 6
HINTS = 3  # for every function, and for every wrong answer
SHORTEST = 3  # letters of a text
UNFINISHED = "TODO"
TEMPLATES = Path(__file__).with_name("templates")
LIBRARY = {  # what the templates write for it
    "numpy": {
        "imports": "import numpy as np",
        "module": "numpy as np",
        "kind": "np.ndarray",
        "array": "np.array",
        "setup": "",
        "wants": "submission",
    },
    "torch": {
        "imports": "from torch import Tensor",
        "module": "torch",
        "kind": "Tensor",
        "array": "torch.tensor",
        "setup": ">>> import torch\n    ",
        "wants": "submission, device",
    },
}


@dataclass(frozen=True)
class Face:
    """A kind of file that an exercise may have, beside those that `Exercise` names."""

    folder: Path
    ending: str = ".py"

    def of(self, exercise: Exercise) -> Path:
        """The file of this exercise; it need not exist."""
        return self.folder / f"{exercise.slug}{self.ending}"


FACES = FIGURE, SHEET, DRAWS, PROOF, MODEL_PROOF = (
    Face(CAPTIONS.parent),  # the module that draws its figure
    Face(TEXTS, ".toml"),  # what only its sheet says
    Face(ROOT / "tests" / "fuzz"),  # the module that draws its random arguments
    Face(PROOFS),  # in a checkout, a learner's own tests
    Face(ROOT / "tests" / "proofs"),  # tests that catch level 1
)


def accepted(exercise: Exercise) -> list[Path]:
    """The right answers in other styles."""
    return sorted(exercise.accepted.glob("*.py"))


def relative(path: Path) -> str:
    """Return a path as one would type it in the folder of the kata."""
    return os.path.relpath(path, ROOT)


def every_face_is_there(exercise: Exercise) -> Iterator[str]:
    """Nothing is missing that the other gates need, and all of it can be read."""
    loads: dict[Path, Callable[[], object]] = {
        exercise.stub: lambda: read(exercise.stub),
        exercise.solution: lambda: _check_names(exercise),
        exercise.suite: lambda: _check_claims(exercise),
        exercise.bugs: lambda: bugs(exercise),
        exercise.accepted: lambda: [read(path) for path in accepted(exercise)],
        CAPTIONS: _captions,
    }
    problems = [text for path, load in loads.items() for text in _problem(path, load)]
    yield from (*_entry_problems(exercise), *problems)
    for name in () if problems else contract(exercise).names:
        if name not in exercise.hints:
            yield f"{relative(ENTRY)} has no hints for {name}"


def _problem(path: Path, load: Callable[[], object]) -> Iterator[str]:
    """Yield a sentence if a file is missing or cannot be loaded, for any reason."""
    try:
        if not path.exists():
            yield f"{relative(path)} is missing"
        else:
            load()
    except (Exception, SystemExit) as error:
        is_ours = isinstance(error, (UnusableError, CatalogueError))
        kind = "" if is_ours else f"{type(error).__name__}: "
        yield f"{relative(path)} cannot be used: {kind}{' '.join(str(error).split())}"


def _check_names(exercise: Exercise) -> None:
    reference().module(exercise.slug)
    if not contract(exercise).names:
        raise UnusableError("it has no public function or class")


def _check_claims(exercise: Exercise) -> None:
    if not suite(exercise):
        raise UnusableError("it has no claim: no function is called test_…")


def _entry_problems(exercise: Exercise) -> Iterator[str]:
    """The entry has a title, minutes and points, and needs earlier exercises only."""
    if exercise.library not in LIBRARIES:
        yield f"the library is {exercise.library}, expected one of {', '.join(LIBRARIES)}"
    if not exercise.title.strip() or exercise.minutes <= 0 or exercise.points <= 0:
        yield "the title is empty, or minutes or points are not above zero"
    for need in set(exercise.needs) - set(curriculum.earlier(exercise)):
        yield f"{exercise.slug} needs {need}, which is not an earlier exercise"


def there_are_enough_answers(exercise: Exercise) -> Iterator[str]:
    """There are enough wrong answers and enough right ones."""
    least = FEWEST_BUGS.get(exercise.short, FEWEST_BUGS_ELSEWHERE)
    if len(bugs(exercise)) < least:
        yield f"{len(bugs(exercise))} of at least {least} bugs"
    if len(accepted(exercise)) < FEWEST_ACCEPTED:
        yield f"{len(accepted(exercise))} of at least {FEWEST_ACCEPTED} right answers"


def every_name_has_its_hints(exercise: Exercise) -> Iterator[str]:
    """Each public name of the solution has three different hints; none of them is code."""
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
    """The text of the sheet, if there is one, is complete and true of the solution."""
    from kata.handouts.examples import texts

    if SHEET.of(exercise).exists():
        yield from _problem(SHEET.of(exercise), lambda: texts(exercise))


def figure_is_whole(exercise: Exercise) -> Iterator[str]:
    """There are a module that draws the figure and its texts, or neither."""
    from kata.handouts.figures import figure

    path, has_texts = FIGURE.of(exercise), exercise.slug in _captions()
    if path.exists() and has_texts:
        yield from _problem(path, lambda: figure(exercise.slug))
    elif path.exists():
        yield f"{relative(CAPTIONS)} has no texts for {exercise.slug}, which has a figure"
    elif has_texts:
        yield f"{relative(path)} is missing, but {relative(CAPTIONS)} has its texts"


def _captions() -> dict[str, dict[str, str]]:
    return tomllib.loads(CAPTIONS.read_text(encoding="utf-8"))


def nothing_says_todo(exercise: Exercise) -> Iterator[str]:
    """Everything that `kata new` has marked is written. The stub follows from the solution."""
    paths = [exercise.solution, exercise.suite, exercise.bugs, *accepted(exercise)]
    for path in (*paths, FIGURE.of(exercise), SHEET.of(exercise)):
        lines = [str(at) for at, line in enumerate(_lines(path), start=1) if UNFINISHED in line]
        if lines:
            yield f"{relative(path)} says {UNFINISHED} in line {', '.join(lines)}"
    hints = (text for texts in exercise.hints.values() for text in texts)
    entry = " ".join([exercise.title, *exercise.delegates, *hints])
    for path, text in {ENTRY: entry, CAPTIONS: str(_captions().get(exercise.slug))}.items():
        if UNFINISHED in text:
            yield f"{relative(path)} says {UNFINISHED} about {exercise.slug}"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def proof_follows_from_the_contract(exercise: Exercise) -> Iterator[str]:
    """The stub of a proof is made of the contract of today.

    An installed kata makes it when it is needed.
    """
    path = PROOF.of(exercise)
    if ROOT != CODE:
        return
    again = f"`kata reset {exercise.short} --proof` writes it again"
    if not path.is_file():
        yield f"proofs/{path.name} is missing; {again}"
    elif path.read_text(encoding="utf-8") != proof_stub(exercise):
        yield f"proofs/{path.name} is not what its contract asks for; {again}"


def no_file_is_left_over() -> Iterator[str]:
    """Every file in the folders of exercises belongs to an entry of curriculum.toml."""
    paths = {path for exercise in curriculum.exercises().values() for path in _files(exercise)}
    patterns = {
        curriculum.EXERCISES: "ex*.py",
        curriculum.SOLUTIONS: "*.py",
        curriculum.GRADED: "test_*.py",
        curriculum.BUGS: "*.toml",
        curriculum.accepted(): "ex*",
        **{face.folder: f"ex*{face.ending}" for face in FACES},
    }
    for folder, pattern in patterns.items():
        for path in sorted(folder.glob(pattern)):
            if path not in paths:
                yield f"{path} is not in curriculum.toml"


def _files(exercise: Exercise) -> tuple[Path, ...]:
    required = exercise.stub, exercise.solution, exercise.suite, exercise.bugs, exercise.accepted
    return *required, *(face.of(exercise) for face in FACES)


def optional_parts_missing(exercise: Exercise) -> Iterator[str]:
    """Yield a note about every part that an exercise may do without, and does."""
    if not FIGURE.of(exercise).exists():
        yield f"there is no figure; {relative(FIGURE.of(exercise))} would draw one"
    if not SHEET.of(exercise).exists():
        path = relative(SHEET.of(exercise))
        yield f"the sheet has nothing to work out; {path} would say it"
    if exercise.slug not in tomllib.loads(GUIDE.read_text(encoding="utf-8")):
        yield f"{relative(GUIDE)} has nothing to say first about {exercise.slug}"
    if not any(bug.level for bug in bugs(exercise)):
        program = f"kata.upkeep.levels {exercise.short}"
        yield f"nothing is marked `level = 1`; `python -m {program}` proposes wrong answers"


# -- the skeletons of a new exercise; TODO marks what has to be written


def new_files(exercise: Exercise) -> dict[Path, str]:
    """Return the text of every file that belongs to this exercise alone."""
    solution = _filled("solution.py", exercise)
    source = parse(exercise.solution, solution)
    names = [name for name, _ in functions(source.tree)]
    return {
        exercise.solution: solution,
        exercise.stub: stub_of(exercise, source),
        PROOF.of(exercise): proof_stub_of(exercise, names),
        exercise.suite: _filled("suite.py", exercise),
        exercise.bugs: _filled("bugs.toml", exercise),
        FIGURE.of(exercise): _filled("figure.py", exercise),
        SHEET.of(exercise): _filled("sheet.toml", exercise),
    }


def additions(exercise: Exercise) -> dict[Path, str]:
    """Return what is appended to files that all exercises share."""
    return {ENTRY: _filled("entry.toml", exercise), CAPTIONS: _filled("captions.toml", exercise)}


def draft(exercise: Exercise) -> dict[Path, str]:
    """Return the least that can be graded: a stub, a solution and a suite, in an own course."""
    texts = new_files(exercise)
    return {path: texts[path] for path in (exercise.stub, exercise.solution, exercise.suite)}


def draft_entry(exercise: Exercise) -> str:
    """Return what is appended to the curriculum of that course."""
    return _filled("own_entry.toml", exercise)


def _filled(template: str, exercise: Exercise) -> str:
    text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
    number, _, name = exercise.slug.removeprefix("ex").partition("_")
    fields: Mapping[str, object] = {
        "title": exercise.title,
        "core": exercise.core,
        "points": exercise.points,
        "minutes": exercise.minutes,
    }
    values = {field: json.dumps(value, ensure_ascii=False) for field, value in fields.items()}
    values["needs"] = json.dumps(exercise.needs)
    own = {"slug": exercise.slug, "number": number, "name": name, "library": exercise.library}
    return Template(text).substitute(values, **own, **LIBRARY[exercise.library])
