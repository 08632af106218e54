"""Files that no suite can judge: one clear message each, the others judged, nothing lost."""

import re
from collections.abc import Callable

import pytest

from kata.course.curriculum import exercises
from kata.judging.judge import suite
from tests.helpers.learner_folder import FOLDER, Learner

CLAIMS = len(suite(exercises()["ex01_softmax"]))
RIGHT = (
    "e = np.exp(scores - scores.max(axis, keepdims=True))\nreturn e / e.sum(axis, keepdims=True)"
)
SOLUTION = exercises()["ex01_softmax"].solution
Says = Callable[..., str]
CLOCK = "signal.ITIMER_PROF"  # counts the seconds that a claim computes


NO_PYTHON = {
    "ex01_softmax": (b"def softmax(\n", "1 is not Python: '(' was never closed"),
    "ex03_self_attention": (b"if True:\n        a = 1\n\tb = 2\n", "3 is not Python: "),
    "ex04_scaled_attention": (b"a = '\xff\xfe'\n", " is not UTF-8 text: "),
    "ex05_causal_masks": (b"# coding: klingon\n", " is not UTF-8 text: unknown encoding"),
    "ex06_causal_attention": (b"a = 1\x00\n", " is not Python: "),
    "ex07_heads": (b"#" * (2 << 20), " is larger than 32768 bytes"),
}


def test_files_that_are_not_python(learner: Learner) -> None:
    learner.solve("ex02")
    for slug, (content, _) in NO_PYTHON.items():
        learner.write(slug, content)

    run = learner.run()

    assert run.status == 1
    for slug, (content, message) in NO_PYTHON.items():
        colon = ":" if message[0].isdigit() else ""
        assert run.failures.count(f"{slug}.py{colon}{message}") == 1, slug
        assert re.search(rf"✗ {slug} .*  cannot be judged yet", run.board), slug
        assert (learner.folder / f"{slug}.py").read_bytes() == content
    assert "Traceback" not in run.out
    assert "✓ ex02_attention_scores" in run.board


def test_a_folder_in_place_of_a_file(learner: Learner) -> None:
    learner.solve("ex02")
    (learner.folder / "ex01_softmax.py").mkdir()

    run = learner.run()

    assert "ex01_softmax.py is a folder, expected a Python file" in run.failures
    assert "✓ ex02_attention_scores" in run.board


def test_a_file_that_replaces_itself_by_a_folder(learner: Learner) -> None:
    learner.solve("ex02")
    learner.softmax("return 1 / 0", "import os\nos.remove(__file__)\nos.mkdir(__file__)")

    run = learner.run()

    assert "ZeroDivisionError: division by zero" in run.failures
    assert "return 1 / 0" in run.failures
    assert f"0 of {CLAIMS} claims hold" in run.board
    assert "✓ ex02_attention_scores" in run.board


DEEP = f"1{'+1' * 2000}"
LARGE = f"0x{'f' * 20_000}"


LONG = (  # where each of them lies, what is in it, and what is told
    {
        "ex01_softmax": (f"def softmax(s, axis={DEEP}):\n    return s", "values differ"),
        "ex02_attention_scores": (f"def f(s):\n    return s{'.a' * 5000}", "Python gives up on an"),
        "ex03_self_attention": (f"x = {'not ' * 5000}1", "Python gives up on an expression"),
        "ex04_scaled_attention": (f"# coding: {'x' * 30_000}", "text: unknown encoding: xxx"),
        "ex05_causal_masks": (f"x = ('{'a' * 30_000}' !", ".py:1 is not Python: invalid syntax"),
    },
    {
        "ex01_softmax": (f"def softmax(s, axis=-1):\n    return s[{LARGE}]", "IndexError: "),
        "ex05_causal_masks": (
            f"def f(s):\n    {LARGE}\n    raise NotImplementedError",
            "",
        ),
        "ex06_causal_attention": (f"def f(s):\n    {DEEP}\n    raise NotImplementedError", ""),
    },
)


@pytest.mark.parametrize("files", LONG, ids=["first", "second"])
def test_code_of_any_length_and_depth_is_told_briefly(
    learner: Learner, files: dict[str, tuple[str, str]]
) -> None:
    for slug, (code, _) in files.items():
        learner.write(slug, f"{code}\n")

    run = learner.run()
    out = run.out + run.err

    failures = " ".join(run.failures.split())
    assert [slug for slug, (_, told) in files.items() if told not in failures] == []
    assert "Traceback" not in out
    assert "INTERNALERROR" not in out
    assert max(map(len, out.splitlines())) < 300
    assert len(out) < 6000


def test_a_right_answer_with_long_expressions_is_right(learner: Learner) -> None:
    more = f"deep = {DEEP}\nlarge = {LARGE}\nf = lambda x={DEEP}: x\n"
    learner.write("ex01_softmax", f"{SOLUTION.read_text()}\n{more}")

    assert "✓ ex01_softmax" in learner.run().board


def test_an_empty_file(learner: Learner) -> None:
    learner.write("ex01_softmax", "")

    assert "ex01_softmax.py has no `softmax`" in learner.run().failures


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "file or directory not found: nowhere"),
        ([FOLDER, "--core"], "no exercise here: an exercise file is named like ex01_softmax.py"),
    ],
    ids=["wrong path", "empty folder"],
)
def test_nothing_to_judge(learner: Learner, arguments: list[str], message: str) -> None:
    run = learner.run(*arguments)

    assert run.status != 0
    assert (run.out + run.err).count(message) == 1


def test_a_folder_of_unrelated_files(learner: Learner) -> None:
    (learner.folder / "shopping.py").write_text("import nothing_that_exists\n")

    assert "no exercise here" in learner.run(FOLDER, "--solutions").out
    assert "no exercise here" not in learner.run().out


def test_a_misspelled_file_name(learner: Learner) -> None:
    learner.solve("ex01")
    (learner.folder / "ex01_softmax.py").rename(learner.folder / "ex01_sofmax.py")

    run = learner.run()

    message = "ex01_sofmax.py is not the name of an exercise; did you mean `ex01_softmax`?"
    assert message in run.failures


def test_each_misspelled_file_name_is_told(learner: Learner) -> None:
    learner.write("ex01_sofmax", "")
    learner.write("ex07_head", "")

    run = learner.run()

    assert run.count("failed") == 2
    assert "ex01_sofmax.py is not the name of an exercise" in run.failures
    assert "ex07_head.py is not the name of an exercise" in run.failures


def test_an_import_error(says: Says) -> None:
    out = says(RIGHT, "import nunpy as np")

    assert out.split("attention kata")[0].count("ModuleNotFoundError: No module named 'nunpy'") == 1
    assert "ex01_softmax.py raises when it is imported" in out
    assert "ex01_softmax.py:1 in <module>" in out
    assert "cannot be judged yet" in out
    assert f"{CLAIMS - 1} blocked" in out


def test_a_misspelled_function(learner: Learner) -> None:
    learner.write("ex01_softmax", "import numpy as np\n\ndef sofmax(x, axis=-1):\n    return x\n")

    assert (
        "has no `softmax`; did you mean `softmax` where it says `sofmax`?" in learner.run().failures
    )


def test_a_crash_shows_the_learners_own_frames_only(says: Says) -> None:
    out = says("return helper(scores)", "import numpy as np\n\ndef helper(x):\n    return x.summ()")

    assert "AttributeError: 'numpy.ndarray' object has no attribute 'summ'" in out
    assert "ex01_softmax.py:4 in helper" in out
    assert "return x.summ()" in out
    assert "submission.py" not in out
    assert "plugin.py" not in out


def test_a_crash_inside_a_library_shows_where_it_was_called(says: Says) -> None:
    out = says("return np.concatenate(5)")

    assert "return np.concatenate(5)" in out
    assert "site-packages" not in out.split("FAILURES")[1]


def test_a_library_below_the_folder_is_not_the_learners(learner: Learner) -> None:
    library = learner.folder / "venv"
    library.mkdir()
    (library / "numbers_of_others.py").write_text("def go():\n    raise NotImplementedError\n")
    top = f"import sys\nsys.path.insert(0, {str(library)!r})\nimport numbers_of_others"
    learner.softmax("return numbers_of_others.go()", top)

    run = learner.run(f"{FOLDER}/ex01_softmax.py")

    assert "return numbers_of_others.go()" in run.failures
    assert "numbers_of_others.py" not in run.failures
    assert run.count("not started") == 0


def test_returning_nothing(says: Says) -> None:
    assert "returned None, expected a numpy array (is a `return` missing?)" in says(
        "np.exp(scores)"
    )


def test_returning_a_list(says: Says) -> None:
    assert "returned a list of 3, expected a numpy array" in says("return list(scores)")


def test_the_wrong_shape(says: Says) -> None:
    assert "shape (1, 3), expected (3,)" in says("return np.abs(scores)[None]")


def test_raising_not_implemented_again_is_not_red(learner: Learner) -> None:
    learner.solve("ex02")
    text = (learner.folder / "ex02_attention_scores.py").read_text()
    half = text.replace("return softmax(scores, axis=-1)", 'raise NotImplementedError("later")')
    learner.write("ex02_attention_scores", half)

    run = learner.run()

    assert run.count("failed") == 0
    assert run.count("not started") > 0
    assert run.count("passed") > 0
    assert run.status == 1


def test_prints_are_cut(says: Says) -> None:
    out = says("print('x' * 3_000_000)\nreturn scores")

    assert len(out) < 10_000
    assert "cut after 500 of 3000001 characters" in out


def test_reading_standard_input(says: Says) -> None:
    out = says("return float(input('? ')) * scores")

    assert "standard input cannot be read here" in out
    assert f"1 failed, {CLAIMS - 1} more failed" in out


def test_leaving_the_interpreter(says: Says) -> None:
    out = says("return scores", "import numpy as np, sys\nsys.exit(0)")

    assert "SystemExit: 0" in out
    assert "cannot be judged yet" in out


def test_a_loop_without_an_end(learner: Learner) -> None:
    learner.solve("ex02")
    learner.softmax("while True:\n    pass")

    run = learner.run(FOLDER, "--timeout", "1")

    message = "stopped after 1 seconds of computing: is there a loop that does not end?"
    assert run.failures.count(message) == 1
    assert run.count("failed") == 1
    assert run.count("blocked") == CLAIMS - 1
    assert "✗ ex01_softmax          ★  ran out of time" in run.board
    assert f"next: ex01_softmax  {FOLDER}/ex01_softmax.py:5" in run.board  # the loop
    assert "✓ ex02_attention_scores" in run.board


def test_a_loop_without_an_end_at_import(learner: Learner) -> None:
    learner.softmax(RIGHT, "while True:\n    pass")

    run = learner.run(FOLDER, "--timeout", "1")

    assert run.failures.count("is there a loop that does not end?") == 1
    assert "ran out of time" in run.board


def test_a_claim_that_sleeps_for_ever(learner: Learner) -> None:
    learner.softmax("import time\ntime.sleep(3600)")

    run = learner.run(FOLDER, "--timeout", "0.5")

    assert "stopped after 3 seconds: is there a loop that does not end?" in run.failures
    assert "time.sleep(3600)" in run.failures
    assert run.count("blocked") == CLAIMS - 1


def test_time_that_others_take_does_not_count(learner: Learner) -> None:
    """A process that waits for a busy machine computes as little as one that sleeps."""
    learner.softmax(RIGHT, "import time\n\nimport numpy as np\n\ntime.sleep(1.5)")

    run = learner.run(FOLDER, "--timeout", "1")

    assert "✓ ex01_softmax" in run.board


def test_the_time_limit_needs_no_option(learner: Learner) -> None:
    """Nine seconds pass at once: the learner's own code turns the clock forward."""
    turn = f"left, _ = signal.getitimer({CLOCK})\nsignal.setitimer({CLOCK}, max(left - 9, 1), 1)"
    learner.softmax(f"{turn}\nwhile True:\n    pass", "import signal")

    assert "stopped after 10 seconds" in learner.run().failures


def test_the_reference_may_not_be_imported(learner: Learner) -> None:
    lines = {
        "ex01_softmax": "from solutions.ex01_softmax import softmax",
        "ex02_attention_scores": "import solutions.ex01_softmax",
        "ex04_scaled_attention": "from solutions import ex01_softmax",
    }
    for slug, line in lines.items():
        learner.write(slug, f"def softmax(scores, axis=-1):\n    {line}\n    return 1\n")

    run = learner.run()

    for slug in lines:
        assert run.failures.count(f"{slug}.py imports `solutions`") == 1, slug
        assert f"✗ {slug}" in run.board


def test_only_earlier_exercises_may_be_imported(learner: Learner) -> None:
    learner.solve("ex02")
    learner.softmax(RIGHT, "import numpy as np\nfrom .ex02_attention_scores import score_query")

    failures = learner.run().failures

    assert "imports `.ex02_attention_scores`; ex01 may import no earlier exercise" in failures


def test_a_sibling_imported_without_the_dot(learner: Learner) -> None:
    learner.write("ex02_attention_scores", "from ex01_softmax import softmax\n")

    assert "write `from .ex01_softmax import …`" in learner.run().failures


def test_arguments_that_are_changed_do_no_harm_to_other_claims(says: Says) -> None:
    out = says(f"scores -= 1\n{RIGHT}")

    assert f"1 failed, {CLAIMS - 1} passed" in out
    assert "`scores` was changed by softmax" in out
