"""What is said of a learner's tests: `kata prove`, `kata hint --proof`, `pytest proofs`."""

import json
import shutil
from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.catalogue import bugs
from kata.course.curriculum import Exercise, exercises
from kata.proofs import judge
from kata.proofs.proof import proof_stub
from tests.helpers.learner_folder import Run, run_python
from tests.helpers.proofs import (
    FIRST,
    FIRST_SLUG,
    FIRST_STRICT,
    HEAD,
    NAIVE,
    OVERSPECIFIED,
    SHAPES,
    SLUG,
    judged_once,
)

EX02 = "ex02_attention_scores"
EX01, EX05 = exercises()[FIRST_SLUG], exercises()[SLUG]


class Folder:
    """A learner's folder with one exercise and one proof."""

    def __init__(self, home: Path, printed: pytest.CaptureFixture[str], exercise: Exercise) -> None:
        self.home = home
        self.printed = printed
        for each in ("exercises", "proofs"):
            (home / each).mkdir()
        shutil.copy(exercise.stub, home / "exercises")
        self.path = home / "proofs" / exercise.filename
        self.write(proof_stub(exercise))

    def write(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")

    def kata(self, *words: str) -> Run:
        """In this process, which has loaded the wrong answers."""
        status = main(words)
        return Run(status, *self.printed.readouterr())

    def pytest(self, *words: str) -> Run:
        return run_python("pytest", words, self.home, COLUMNS="100")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(judge, "judge", judged_once)
    return tmp_path


@pytest.fixture
def folder(home: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(home, capsys, EX05)


@pytest.fixture
def first(home: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(home, capsys, EX01)


def parts(run: Run) -> list[str]:
    """What stands between blank lines."""
    return run.out.split("\n\n")


# -- kata prove


def test_it_says_in_order_what_is_refused_caught_missed_and_spare(folder: Folder) -> None:
    folder.write(NAIVE + OVERSPECIFIED[len(HEAD) :].replace("test_causal", "test_other"))

    done = folder.kata("prove", "ex05")

    assert (done.status, done.err) == (1, "")
    head, refused, caught, missed, spare, different, last = parts(done)
    nothing = "a test refuses a right answer, so the mark is nothing until it is mended"
    assert head == f"{SLUG}: {nothing}"
    assert refused.splitlines()[0] == (
        "`test_a_hidden_score_is_minus_infinity` refuses 5 of 13 right answers, in line 34:"
    )
    assert "    assert masked[0, 1] == float('-inf')\n      masked[0, 1] is tensor(" in refused
    assert 'is right; the contract says: "Which value stands at a hidden key is free' in refused
    assert caught.startswith("what each test catches")
    assert missed.startswith("what gets past all of them")
    assert spare.startswith("what adds nothing\n  `test_other`: all that it catches is caught by")
    assert "238 wrong answers are of 136 kinds; your tests catch 47 of these whole" in different
    assert last == "next: mend the tests that do not count\n"


def test_it_counts_and_names_no_wrong_answer(folder: Folder) -> None:
    folder.write(NAIVE)

    done = folder.kata("prove", "5")

    names = [*(each.slug for each in bugs(EX05)), *(each.title for each in bugs(EX05))]
    assert [each for each in names if each in done.out and len(each) > 12] == []
    table = next(each for each in parts(done) if each.startswith("what gets past")).splitlines()
    assert [line.split()[0] for line in table[2:]] == [
        *("causal_mask", "padding_mask", "mask_scores", "mask_weights", "masked_attention"),
    ]


def test_a_level_alone(folder: Folder) -> None:
    folder.write(SHAPES)

    out = folder.kata("prove", "--level", "2").out

    assert ("level 2" in out, "level 3" in out) == (True, False)


def test_tests_in_another_file_or_in_the_proof_saved_last(folder: Folder) -> None:
    (folder.home / "mine.py").write_text(SHAPES, encoding="utf-8")

    assert "test_shapes" in folder.kata("prove", "ex05", "--file", "mine.py").out

    folder.write(SHAPES)
    assert folder.kata("prove").out.startswith(f"{SLUG}: ")


def test_a_stub_is_not_judged(folder: Folder) -> None:
    done = folder.kata("prove", "ex05")

    assert (done.status, done.err) == (1, "")
    assert done.out == (
        f"proofs/{SLUG}.py: no test is written yet; write the first one, and run this again\n"
    )


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ((), proof_stub(EX05), "no test in proofs is written yet"),
        (("ex06",), "", "proofs/ex06_causal_attention.py does not exist"),
        (("ex99",), "", "no exercise is called ex99"),
        (("ex05", "--file", "none.py"), "", "none.py does not exist"),
        (("ex05",), HEAD, f"proofs/{SLUG}.py has no test: a test is a function called test_…"),
        (("ex05",), "def test_x(:\n", f"{SLUG}.py:1 is not Python"),
        (("ex05",), "1 / 0\ndef test_x(): pass\n", f"proofs/{SLUG}.py:1: the file raises"),
        (("ex05",), "import solutions\ndef test_x(): pass\n", f"{SLUG}.py imports `solutions`"),
    ],
)
def test_bad_input_is_one_line(folder: Folder, words: list[str], text: str, told: str) -> None:
    folder.write(text)

    done = folder.kata("prove", *words)

    assert (done.status, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) <= 2  # of a syntax error, the line below it


# -- kata hint --proof


def test_a_hint_gives_one_step_more_each_time(folder: Folder) -> None:
    folder.write(SHAPES)

    runs = [folder.kata("hint", "--proof", "ex05").out for _ in range(4)]

    assert "1 of 3" in runs[0]
    assert "It stays unseen as long as" in runs[0]
    assert "2 of 3" not in runs[0]
    assert "What it does: " in runs[1]
    assert "It stays unseen as long as" in runs[1]
    assert "The code is shown once all claims of ex05_causal_masks hold" in runs[2]
    assert "That was the last hint about this one." in " ".join(runs[2].split())
    assert runs[3] == runs[2]


def test_who_has_passed_sees_the_change(first: Folder) -> None:
    first.write(FIRST.replace("(2, 4)", "(2, 3, 4)"))
    shutil.copy(EX01.solution, first.home / "exercises")
    assert "nothing" not in first.pytest("exercises").err

    for _ in range(3):
        done = first.kata("hint", "--proof", "ex01")

    told = done.out.partition("Where it differs from a right answer:")[2]
    lines = [line.strip() for line in told.splitlines()]
    assert any(line.startswith("- ") for line in lines)
    assert any(line.startswith("+ ") for line in lines)


def test_once_it_is_caught_the_next_one_is_told(folder: Folder) -> None:
    folder.write(HEAD + "def test_other():\n    assert padding_mask(torch.tensor([1]), 1).all()\n")
    before = [folder.kata("hint", "--proof").out for _ in range(2)][1]
    folder.write(NAIVE)

    after = folder.kata("hint", "--proof").out

    assert "2 of 3" in before
    assert "1 of 3" in after
    assert "2 of 3" not in after


def test_a_hint_may_be_asked_for_about_a_function(folder: Folder) -> None:
    folder.write(SHAPES)

    about, other, none = (folder.kata("hint", *words) for words in (
        ("--proof", "ex05", "mask_scores"), ("--proof", "ex05", "mask"), ("ex05", "mask_scores"),
    ))  # fmt: skip

    assert about.out.startswith("a wrong `mask_scores` of level ")
    assert "ex05_causal_masks has no `mask`: it has `causal_mask`, " in other.err
    assert "goes with --proof" in none.err
    assert (about.status, other.status, none.status) == (0, 2, 2)


def test_a_refused_right_answer_comes_before_hints(folder: Folder) -> None:
    folder.write(OVERSPECIFIED)

    assert folder.kata("hint", "--proof", "ex05").out == (
        "a test refuses a right answer: mend it first; `kata prove ex05` says which\n"
    )


def test_a_hint_for_programs(folder: Folder) -> None:
    folder.write(SHAPES)

    found = json.loads(folder.kata("hint", "--proof", "--json").out)

    assert found["exercise"] == SLUG
    assert (len(found["hints"]), found["of"], found["remembered"]) == (1, 3, True)


# -- pytest proofs


def test_each_test_is_an_item(first: Folder) -> None:
    stub = "\n\ndef test_later():\n    raise NotImplementedError('not written yet')\n"
    first.write(FIRST + FIRST_STRICT + "\n\ndef test_nothing():\n    pass\n" + stub)

    done = first.pytest("proofs", "-v")

    assert done.status == 1
    assert done.count("passed") == 2
    assert done.count("failed") == 2
    assert done.count("skipped") == 1
    sentence = "`test_memory` refuses 2 of 8 right answers, in line 14:"
    assert sentence in done.out
    assert sentence in first.kata("prove", "ex01").out
    assert "it catches nothing" in " ".join(done.out.split())
    assert f"= proofs: proofs/{FIRST_SLUG}.py =" in done.out
    assert "what gets past all of them" in done.out
    assert "attention kata: " not in done.out  # the board is about exercises
    summary = done.out.partition("short test summary info")[2]
    assert "::test_memory - `test_memory` refuses " in summary
    assert "::test_nothing - it catches nothing" in summary


def test_good_tests_pass(first: Folder) -> None:
    first.write(FIRST)

    done = first.pytest("proofs")

    assert done.status == 0
    assert done.count("passed") == 2


def test_listing_runs_nothing(folder: Folder) -> None:
    folder.write("import sys\nprint('run', file=sys.stderr)\n" + NAIVE)

    done = folder.pytest("proofs", "--collect-only", "-q")

    assert f"proofs/{SLUG}.py::test_causal" in done.out
    assert "run" not in done.err


def test_a_file_that_is_not_fine_fails(folder: Folder) -> None:
    folder.write("def test_x(:\n")
    for slug, text in {FIRST_SLUG: HEAD, EX02: "1 / 0\ndef test_x(): pass\n"}.items():
        (folder.home / "proofs" / f"{slug}.py").write_text(text, encoding="utf-8")

    done = folder.pytest("proofs")

    assert done.status == 1
    assert f"{SLUG}.py:1 is not Python" in done.out
    assert f"{FIRST_SLUG}.py has no test" in done.out
    assert "line 1: the file raises an error" in done.out
    assert done.count("failed") == 3
    assert "Traceback" not in done.out


def test_bare_pytest_meets_no_proof(folder: Folder) -> None:
    (folder.home / "pytest.ini").write_text("[pytest]\ntestpaths = exercises\n")
    folder.write("def test_x(:\n")
    look = (
        "import sys, pytest; pytest.main(['-q']); "
        "print([name for name in sys.modules if 'proofs' in name])"
    )
    (folder.home / "look.py").write_text(look)

    done = run_python("look", [], folder.home)

    assert "not Python" not in done.out
    assert done.out.rstrip().endswith("[]")


def test_stubs_of_proofs_are_skipped(folder: Folder) -> None:
    done = folder.pytest("proofs")

    assert done.status == 0
    assert done.count("skipped") == 5
