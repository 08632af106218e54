"""The lines of a traceback: nothing is shown that the text of the file does not confirm."""

import linecache
from pathlib import Path

import pytest

from kata.course.curriculum import exercises
from kata.course.target import SUBMISSION, Target
from kata.inside.execution import Frame, Raised, raised
from kata.judging.attempt import MOST_FRAMES, Attempt, LearnerError

SLUG = "ex02_attention_scores"
FILE = str(SUBMISSION / f"{SLUG}.py")
LONG = "x" * 30_000
TEXT = f"""\
def score_query(query, keys):
    raise KeyError('{LONG}')


def {LONG[:999]}():
    pass
"""


def found(frames: list[Frame], folder: Path = SUBMISSION, text: str = TEXT) -> LearnerError:
    """What is made of an error with these frames."""
    attempt = Attempt(exercises()[SLUG], Target(folder, {SLUG: text}))
    with pytest.raises(LearnerError) as caught, attempt.guarded("score_query"):
        raise Raised(["KeyError"], "text", frames)
    return caught.value


def test_an_honest_frame_is_shown_with_its_line_cut() -> None:
    error = found([Frame(FILE, 2, "score_query")])
    first, second = error.frames[0].splitlines()

    assert first == f"{FILE}:2 in score_query"
    assert second == f"    raise KeyError('{LONG}"[: 4 + 199] + "…"
    assert (error.line, error.by_hand) == (2, True)


@pytest.mark.parametrize(
    ("frame", "shown"),
    [
        (Frame(FILE, int("9" * 4300), "score_query"), f"{FILE}:0 in score_query\n    "),
        (Frame(FILE, -5, "<lambda>"), f"{FILE}:0 in <lambda>\n    "),
        (Frame(FILE, 1, "a secret"), f"{FILE}:1 in ?\n    def score_query(query, keys):"),
        (Frame(FILE, 5, LONG[:999]), f"{FILE}:5 in {LONG[:59]}…\n    def {LONG[:195]}…"),
        (Frame(str(SUBMISSION / "ex01_softmax.py"), 1, "softmax"),
         f"{SUBMISSION / 'ex01_softmax.py'}:0 in ?\n    "),
    ],
    ids=["line", "negative", "name", "long", "not handed in"],
)  # fmt: skip
def test_what_a_worker_claims_is_shown_if_the_text_confirms_it(
    frame: Frame, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linecache, "cache", {})  # where other tests have left lines
    assert found([frame]).frames == [shown]


@pytest.mark.parametrize(
    "name",
    ["submission/a secret.py", "submission/ex01_softmax.a secret", "submission/x/ex01_softmax.py",
     "/etc/passwd", "", "submission/../submission/a/ex01_softmax.py"],
)  # fmt: skip
def test_no_file_is_named_that_was_not_asked_for(name: str) -> None:
    error = found([Frame(name, 1, "f")])

    assert (error.frames, error.line, error.file) == ([], 0, "")


def test_of_thousands_of_frames_the_two_ends_are_shown() -> None:
    error = found([Frame(FILE, 1 + n % 2, "score_query") for n in range(2000)])

    assert len(error.frames) == MOST_FRAMES + 1
    assert error.frames[MOST_FRAMES // 2] == "… 1994 more calls …"
    assert max(map(len, error.frames)) < 300


def test_what_calls_itself_from_one_line_is_shown_once() -> None:
    deep = [Frame(FILE, 1, "score_query")] * 996

    error = found([Frame(FILE, 2, "score_query"), *deep, Frame(FILE, 2, "score_query")])

    assert error.frames[1] == f"{FILE}:1 in score_query, 996 times\n    {TEXT.splitlines()[0]}"
    assert len(error.frames) == 3


def test_helpers_in_a_folder_of_ones_own_are_shown(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def helped():\n    1 / 0\n")

    (frame,) = found([Frame(str(tmp_path / "helper.py"), 2, "helped")], tmp_path).frames

    assert frame == f"{tmp_path / 'helper.py'}:2 in helped\n    1 / 0"


def test_classes_of_errors_have_short_names_and_few_ancestors() -> None:
    kind: type[Exception] = type("E" * 10_000, (ValueError,), {})
    for _ in range(100):
        kind = type("F" * 10_000, (kind,), {})

    kinds = raised(kind("x")).kinds

    assert len(kinds) == 50
    assert {len(each) for each in kinds} == {60}
