"""What a submission's process says is passed on within bounds, and honest evidence is not lost."""

import base64
import json
import random
from dataclasses import replace

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict, submission_to_dict
from kata.course.curriculum import exercises
from kata.grading.disclosure import MOST_FRAMES, MOST_FREE, MOST_TOLD, bounded
from kata.grading.reports.formats import LONGEST_CELL, row
from kata.inside import audit
from kata.marks import Mark
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, State

SLUG, EARLIER = "ex09_multi_head_attention", "ex05_causal_masks"
CODE = exercises()[EARLIER].solution.read_text(encoding="utf-8")
UNNAMED = "something that its process does not name"
MEASURED = [
    "3 of 24 values differ; worst at [0, 1]: expected 0.25, got 0.5",
    "2 of 4 values of the weights are not finite; first at [0]: expected 1, got nan",
    "shape (2, 3), expected (3, 2) = (T, S)",
    "the gradient of query: dtype float64, expected float32",
    "`mask` was changed by masked_attention",
    "the share of zeros: expected 0.2 to 0.3, got 0.5",
    "len(result): expected 3, got 4",
]


def claim(evidence: str, state: State = State.FAILED, **more: object) -> ClaimVerdict:
    return ClaimVerdict("test_it", state, Message("It is so.", evidence=evidence, **more))  # type: ignore[arg-type]


def verdict(*claims: ClaimVerdict, stand_ins: tuple[str, ...] = (), **more: str) -> ExerciseVerdict:
    return ExerciseVerdict(SLUG, claims, stand_ins, **more)  # type: ignore[arg-type]


def told(found: ExerciseVerdict) -> list[str]:
    return [each.message.evidence if each.message else "" for each in found.claims]


def noise(count: int, seed: int) -> str:
    """What a compressed text looks like."""
    return base64.b85encode(random.Random(seed).randbytes(count)).decode()[:count]


# Length


def test_every_text_of_a_message_has_a_length() -> None:
    text = "\U0001f40d" * 10**6
    found = Message(text, text, text, text, frames=[text] * 99, file=text, compared=text)

    assert max(len(each) for each in vars(found).values() if isinstance(each, str)) == 2000
    assert [len(each) for each in found.frames] == [500] * 12
    assert len(found.evidence) == len(found.claim) == 1000
    assert len(found.file) == 100
    assert found.evidence.endswith("…")


def test_what_fits_is_not_touched() -> None:
    frames = ["a" * 500]
    found = Message("a" * 1000, evidence="b" * 1000, frames=frames)

    assert found.claim == "a" * 1000
    assert found.frames is frames


def test_an_exercise_takes_no_more_than_its_part() -> None:
    """A hundred claims of the largest messages that there are."""
    text = "\u4e16" * 2000
    large = claim(text, inputs=text, compared=text, cause=text, remark=text, frames=[text] * 12)
    found = bounded(verdict(*[claim("first: 1"), *[large] * 100]))
    size = len(json.dumps(submission_to_dict(SubmissionVerdict("ann", (found,)))))

    assert size < MOST_TOLD + MOST_FRAMES + 101 * 500
    assert told(found)[0] == "first: 1"
    assert told(found)[-1] == "not shown: the claims before this one fill the report"


def test_a_long_word_is_cut_and_the_rest_of_its_sentence_is_kept() -> None:
    found = bounded(verdict(claim(f"ValueError: {'x' * 100} is no name")))

    assert told(found) == [f"ValueError: {'x' * 60}… is no name"]


def test_a_cell_is_far_smaller_than_a_spreadsheet_takes() -> None:
    whole = ClaimVerdict("error", State.ERROR, Message("y" * 10**6))
    flags = tuple("z" * 10**5 for _ in range(50))
    found = [ExerciseVerdict(slug, (whole,), flags=flags) for slug in exercises()]
    marks = tuple(Mark(0.0, 1.0) for _ in found)
    given = SubmissionVerdict("ann", tuple(found), marks, notes=("n" * 10**6,) * 100)

    cells = row(given, ClassVerdict(lambda: iter(()), dict.fromkeys(exercises(), 1.0))).values()

    assert max(map(len, cells)) == LONGEST_CELL < 32_767 / 4


# Words for the instructor


@pytest.mark.parametrize(
    "text",
    [
        "bob copied from jane", "os.system", "os.system(bob copied)", "os.system('a') bob copied",
        "os.system('a', 'b', 'c')", "os.system('a'); bob('b')", "os.system('\n')", "x.y('a')",
        "os.system('" + "a" * 300 + "')", "open('a' 'b')", "open([['a']])", "open(" + "9" * 400,
    ],
)  # fmt: skip
def test_an_event_in_words_of_its_own_is_not_repeated(text: str) -> None:
    assert bounded(replace(verdict(), tampering=(text,))).tampering == (UNNAMED,)


@pytest.mark.parametrize(("event", "arguments"), [
    ("os.system", (b"nmap localhost",)), ("open", ("/etc/passwd", "r", 0)),
    ("open", ("a'b\"c\\", None)), ("subprocess.Popen", ("ls", ["ls", "-l", "a" * 90])),
    ("subprocess.Popen", ("ls", [])), ("ctypes.dlopen", (None,)), ("os.kill", (-1, 9)),
    ("os.remove", (object(), 10**99)), ("os.system", (b"\xff" * 99,)),
])  # fmt: skip
def test_an_event_of_the_list_is_told_with_its_arguments(
    event: str, arguments: tuple[object, ...]
) -> None:
    text = f"{event}({', '.join(map(audit._brief, arguments[:2]))})"

    assert len(text) < 200
    assert bounded(replace(verdict(), tampering=(text, text))).tampering == (text,)


def test_the_name_of_a_class_is_no_argument() -> None:
    class BobCopiedFromJane(str):
        __slots__ = ()

    assert audit._brief(BobCopiedFromJane("x")) == "…"


# The reference


@pytest.mark.parametrize("evidence", MEASURED)
def test_what_was_measured_is_shown_as_often_as_it_was(evidence: str) -> None:
    claims = [claim(f"{evidence}\n{number}") for number in range(50)]
    claims = [claim(evidence.replace("24", str(number))) for number in range(50)]

    found = bounded(verdict(*claims, stand_ins=(EARLIER,)))

    assert found.claims == tuple(claims)


def test_where_the_reference_stands_in_few_words_leave() -> None:
    """In any form: the total is bounded, whichever field they are in."""
    claims = [claim(f"E: {noise(50, n)}", leads=True) for n in range(20)]
    claims += [claim(f"E: {noise(50, n)}", State.ERROR) for n in range(20, 40)]
    claims += [claim("3 of 3 values differ", inputs=f"f(x='{noise(50, n)}')") for n in range(9)]
    claims += [claim(f"expected E, got {noise(50, n)}") for n in range(40, 60)]
    claims += [claim(f"3 of 3 values: {noise(50, n)}", leads=True) for n in range(60, 80)]

    found = bounded(verdict(*claims, stand_ins=(EARLIER,), printed=noise(500, 99)))

    pieces = [noise(50, n)[at : at + 8] for n in range(80) for at in range(0, 48, 8)]
    shown = json.dumps(submission_to_dict(SubmissionVerdict("ann", (found,))))
    assert sum(8 for each in pieces if json.dumps(each)[1:-1] in shown) <= MOST_FREE
    assert told(found)[:2] == told(verdict(*claims))[:2]
    assert found.printed.startswith("not shown: where the reference stands in")
    assert bounded(verdict(*claims)).claims[:40] == tuple(claims)[:40]


def test_letters_of_several_bytes_count_as_such() -> None:
    claims = [claim(f"E: {chr(0x4E00 + n) * 40}", leads=True) for n in range(20)]

    found = bounded(verdict(*claims, stand_ins=(EARLIER,)))

    shown = sum(len(each.encode()) for each in told(found) if each.startswith("E: "))
    assert 200 < shown <= MOST_FREE + len("…".encode())


def test_what_was_said_before_costs_nothing() -> None:
    said = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x4 and 8x4)"
    claims = [claim(said, leads=True) for _ in range(40)]

    assert told(bounded(verdict(*claims, stand_ins=(EARLIER,)))) == [said] * 40


def test_no_line_of_the_reference_is_quoted_however_it_is_spaced() -> None:
    line = next(each for each in CODE.splitlines() if each.startswith("def mask_weights"))
    texts = [f"E: {line}", f"E: {' '.join(line)}", f"E: x {line[:60]}"]

    for text in texts:
        (said,) = told(bounded(verdict(claim(text, leads=True), stand_ins=(EARLIER,))))
        assert said.startswith("not shown: ")
    found = bounded(verdict(claim("a"), stand_ins=(EARLIER,), printed=f"\n{line}\n"))
    assert found.printed.startswith("not shown: ")


@pytest.mark.parametrize("state", [State.NOT_STARTED, State.BLOCKED, State.TIMED_OUT])
def test_what_the_judge_itself_says_is_always_shown(state: State) -> None:
    claims = [claim(f"`part{n}` is not written yet: line {n} still raises", state)
              for n in range(40)]  # fmt: skip

    assert bounded(verdict(*claims, stand_ins=(EARLIER,))).claims == tuple(claims)
