"""Gates about the documents: the numbers that a contribution changes, and the bugs they name.

In a document such a number stands between two comments: `<!--n:exercises-->28<!--/n-->`. Where no
comment can stand, in a block of code, the words around it say which number it is.
`kata check --write-numbers` writes them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from kata.course import curriculum
from kata.course.catalogue import bugs
from kata.course.curriculum import ROOT, Exercise, exercises
from kata.course.suite_code import listed
from kata.upkeep.faces import accepted, relative

DOCUMENTS = ("README.md", "docs/**/*.md")
DOCUMENT_BUGS = (*range(1, 17), 20)  # of the documents' own; 17 to 19 are no code
SPECIMENS = ROOT / "tests" / "specimens"
MARKED = re.compile(r"(<!--n:)(.*?)(-->)(.*?)(<!--/n-->)", re.DOTALL)
OPENED = re.compile(r"<!--n:")
IN_CODE = re.compile(r"(with the same result in all )(\d+)( claims: scores divided by their sum)")
COMMAND = "`kata check --write-numbers` writes today's"


def documents_are_covered() -> Iterator[str]:
    """Each of the documents' own bugs that is code is in the catalogue, marked with its number."""
    marks = {mark for exercise in curriculum.exercises().values() for mark in _seen_in(exercise)}
    for number in DOCUMENT_BUGS:
        if not any(mark.endswith(f"own bug {number}") for mark in marks):
            yield f"own bug {number} of the documents is in no catalogue"


def _seen_in(exercise: Exercise) -> set[str]:
    """Where the bugs of an exercise were seen; nothing if its first gate cannot read them."""
    with suppress(Exception):
        return {mark for bug in bugs(exercise) for mark in bug.seen_in}
    return set()


def numbers_are_of_today() -> Iterator[str]:
    """Each marked number in a document is what is counted now."""
    for path in documents():
        text = path.read_text(encoding="utf-8")
        numbers = MARKED.findall(text)
        if len(numbers) != len(OPENED.findall(text)):
            yield f"{relative(path)}: a number has no end: <!--/n-->"
        for _, name, _, number, _ in numbers:
            if name not in NUMBERS:
                yield f"{relative(path)}: nothing counts {name}, only {', '.join(NUMBERS)}"
            elif number != str(NUMBERS[name]()):
                yield f"{relative(path)}: {name} is {number}, not {NUMBERS[name]()}; {COMMAND}"
        for before, number, after in IN_CODE.findall(text):
            if number != str(_judged_first()):
                now = f"“{before}{number}{after}” is about {_judged_first()}"
                yield f"{relative(path)}: {now}; {COMMAND}"


def documents() -> Iterator[Path]:
    """Yield the documents that may have such numbers."""
    return (path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern)))


def write_numbers() -> Iterator[str]:
    """Write today's numbers into the documents; yield a line for every document that changes."""
    for path in documents():
        text = path.read_text(encoding="utf-8")
        today = IN_CODE.sub(_with_claims, MARKED.sub(_with_number, text))
        if today != text:
            path.write_text(today, encoding="utf-8")
            yield f"{relative(path)} has today's numbers"


def _with_number(marked: re.Match[str]) -> str:
    before, name, after, number, end = marked.groups()
    now = str(NUMBERS[name]()) if name in NUMBERS else number
    return f"{before}{name}{after}{now}{end}"


def _with_claims(sentence: re.Match[str]) -> str:
    before, _, after = sentence.groups()
    return f"{before}{_judged_first()}{after}"


def _judged_first() -> int:
    """How many claims of the first exercise are judged without a GPU."""
    ids = [claim for claim, _ in listed(next(iter(exercises().values())))]
    return sum(not claim.endswith("[cuda]") for claim in ids)


def _wrong_answers() -> int:
    return sum(len(bugs(exercise)) for exercise in exercises().values())


def _right_answers() -> int:
    return sum(len(accepted(exercise)) for exercise in exercises().values())


def _claims() -> int:
    return sum(len({name for _, name in listed(exercise)}) for exercise in exercises().values())


def _level_1() -> int:
    return sum(bool(bug.level) for exercise in exercises().values() for bug in bugs(exercise))


def _programs(folder: str) -> int:
    return len(list((SPECIMENS / folder).glob("*.py")))


NUMBERS: Mapping[str, Callable[[], int]] = {
    "attacks": lambda: _programs("attacks"),
    "claims": _claims,
    "exercises": lambda: len(exercises()),
    "level-1": _level_1,
    "proof-attacks": lambda: _programs("attacks_on_proofs"),
    "right-answers": _right_answers,
    "wrong-answers": _wrong_answers,
}
