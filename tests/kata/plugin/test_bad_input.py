"""Files that no suite can judge: one clear message each, the others judged, nothing lost."""

import re
from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from kata import plugin
from kata.course.curriculum import exercises
from tests.helpers.answers import RIGHT, claims
from tests.helpers.learner_folder import FOLDER, Learner, Run

CLAIMS = claims()
SOLUTION = exercises()["ex01_softmax"].solution.read_text(encoding="utf-8")
NUMPY = "import numpy as np"
DEEP = f"1{'+1' * 2000}"
LARGE = f"0x{'f' * 20_000}"
Files = Mapping[str, str | bytes]


def forward(seconds: float) -> str:
    """A line of a learner's own: as if the claim had computed for that long."""
    clock = "signal.ITIMER_PROF"  # what is left of the time limit
    return f"signal.setitimer({clock}, max(signal.getitimer({clock})[0] - {seconds}, 0.02), 1)"


NO_PYTHON = {
    "ex01_softmax": (b"def softmax(\n", "1 is not Python: '(' was never closed"),
    "ex03_self_attention": (b"if True:\n        a = 1\n\tb = 2\n", "3 is not Python: "),
    "ex04_scaled_attention": (b"a = '\xff\xfe'\n", " is not UTF-8 text: "),
    "ex05_causal_masks": (b"# coding: klingon\n", " is not UTF-8 text: unknown encoding"),
    "ex06_causal_attention": (b"a = 1\x00\n", " is not Python: "),
    "ex07_heads": (b"#" * (2 << 20), " is larger than 32768 bytes"),
}
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
        "ex02_attention_scores": (
            f"def f(s):\n    {LARGE}\n    {DEEP}\n    raise NotImplementedError",
            "",
        ),
    },
)
OF_THE_REFERENCE = {
    "ex01_softmax": "from solutions.ex01_softmax import softmax",
    "ex08_heads_in_a_list": "import solutions.ex01_softmax",
    "ex04_scaled_attention": "from solutions import ex01_softmax",
}
FILES: dict[str, Files] = {  # what lies in each folder, beside or in place of a softmax
    "no_python": {slug: content for slug, (content, _) in NO_PYTHON.items()},
    **{
        f"long_{number}": {slug: f"{code}\n" for slug, (code, _) in files.items()}
        for number, files in enumerate(LONG)
    },
    "long_right": {
        "ex01_softmax": f"{SOLUTION}\ndeep = {DEEP}\nlarge = {LARGE}\nf = lambda x={DEEP}: x\n"
    },
    "empty": {"ex01_softmax": ""},
    "misspelled": {"ex01_sofmax": SOLUTION, "ex07_head": ""},
    "function": {"ex01_softmax": f"{NUMPY}\n\ndef sofmax(x, axis=-1):\n    return x\n"},
    "reference": {
        slug: f"def softmax(scores, axis=-1):\n    {line}\n    return 1\n"
        for slug, line in OF_THE_REFERENCE.items()
    },
    "no_dot": {"ex04_scaled_attention": "from ex01_softmax import softmax\n"},
}
SOFTMAXES = {  # the body and the top
    "replaced": ("return 1 / 0", "import os\nos.remove(__file__)\nos.mkdir(__file__)"),
    "no_module": (RIGHT, "import nunpy as np"),
    "helper": ("return helper(scores)", f"{NUMPY}\n\ndef helper(x):\n    return x.summ()"),
    "in_numpy": ("return np.concatenate(5)", NUMPY),
    "none": ("np.exp(scores)", NUMPY),
    "list": ("return list(scores)", NUMPY),
    "shape": ("return np.abs(scores)[None]", NUMPY),
    "prints": ("print('x' * 30_000)\nreturn scores", NUMPY),
    "input": ("return float(input('? ')) * scores", NUMPY),
    "exit": ("return scores", f"{NUMPY}, sys\nsys.exit(0)"),
    "later": (RIGHT, f"{NUMPY}\nfrom .ex02_attention_scores import score_query"),
    "changed": (f"scores -= 1\n{RIGHT}", NUMPY),
    "clock": (f"{forward(9.8)}\nwhile True:\n    pass", "import signal"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run over all softmaxes, each in a folder of its own."""
    learner = Learner(tmp_path_factory.mktemp("bad"))
    for name, (body, top) in SOFTMAXES.items():
        learner.below(name).softmax(body, top)
    of_others(learner.below("library"))
    return learner.run()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run over all folders of files."""
    learner = Learner(tmp_path_factory.mktemp("bad"))
    for name, contents in FILES.items():
        for slug, content in contents.items():
            learner.below(name).write(slug, content)
    learner.below("no_python").solve("ex02")
    (learner.folder / "no_python" / "ex08_heads_in_a_list.py").mkdir()
    half_done(learner.below("half"))
    return learner.run()


def half_done(learner: Learner) -> None:
    text = exercises()["ex02_attention_scores"].solution.read_text(encoding="utf-8")
    later = text.replace("return softmax(scores, axis=-1)", 'raise NotImplementedError("later")')
    learner.write("ex02_attention_scores", later)


def of_others(learner: Learner) -> None:
    """A library below the folder, which raises what is not the learner's error."""
    library = learner.folder / "venv"
    library.mkdir()
    (library / "numbers_of_others.py").write_text("def go():\n    raise NotImplementedError\n")
    top = f"import sys\nsys.path.insert(0, {str(library)!r})\nimport numbers_of_others"
    learner.softmax("return numbers_of_others.go()", top)


def test_the_run_ends_and_has_no_error_of_its_own(run: Run) -> None:
    assert run.status == 1
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out + run.err


def test_so_does_one_over_files_that_are_not_python(files: Run) -> None:
    test_the_run_ends_and_has_no_error_of_its_own(files)


TOLD = (
    ("empty", "ex01_softmax.py has no `softmax`"),
    ("function", "has no `softmax`; did you mean `softmax` where it says `sofmax`?"),
    ("misspelled", "ex01_sofmax.py is not the name of an exercise; did you mean `ex01_softmax`?"),
    ("misspelled", "ex07_head.py is not the name of an exercise"),
    ("none", "returned None, expected a numpy array (is a `return` missing?)"),
    ("list", "returned a list of 3, expected a numpy array"),
    ("shape", "shape (1, 3), expected (3,)"),
    ("later", "imports `.ex02_attention_scores`; ex01 may import no earlier exercise"),
    ("no_dot", "write `from .ex01_softmax import …`"),
    ("clock", "stopped after 10 seconds"),
)


def silent(run: Run, names: Mapping[str, object]) -> list[tuple[str, str]]:
    """What was not told of these."""
    return [(name, text) for name, text in TOLD
            if name in names and text not in run.about(name).failures]  # fmt: skip


def test_what_is_wrong_is_told(run: Run) -> None:
    assert silent(run, SOFTMAXES) == []


def test_what_is_wrong_with_files_is_told(files: Run) -> None:
    assert silent(files, FILES) == []
    assert files.about("misspelled").letters == "FF"  # each of them is told
    assert "✓ ex01_softmax" in files.about("long_right").board


def test_files_that_are_not_python(files: Run) -> None:
    told = files.about("no_python")

    for slug, (_, message) in NO_PYTHON.items():
        colon = ":" if message[0].isdigit() else ""
        assert told.failures.count(f"{slug}.py{colon}{message}") == 1, slug
        assert re.search(rf"✗ {slug} .*  cannot be judged yet", told.board), slug
    assert "✓ ex02_attention_scores" in told.board


def test_a_folder_in_place_of_a_file(files: Run) -> None:
    told = files.about("no_python")

    assert "ex08_heads_in_a_list.py is a folder, expected a Python file" in told.failures
    assert "✓ ex02_attention_scores" in told.board


def test_a_file_that_replaces_itself_by_a_folder(run: Run) -> None:
    told = run.about("replaced")

    assert "ZeroDivisionError: division by zero" in told.failures
    assert "return 1 / 0" in told.failures
    assert f"0 of {CLAIMS} claims hold" in told.board


@pytest.mark.parametrize("number", range(len(LONG)), ids=["first", "second"])
def test_code_of_any_length_and_depth_is_told_briefly(files: Run, number: int) -> None:
    told = files.about(f"long_{number}")

    failures = " ".join(told.failures.split())
    assert [slug for slug, (_, text) in LONG[number].items() if text not in failures] == []
    assert max(map(len, (told.out + files.err).splitlines())) < 300
    assert len(told.out) < 6000


def test_a_wrong_path(learner: Learner) -> None:
    run = learner.run("nowhere")

    assert run.status != 0
    assert (run.out + run.err).count("file or directory not found: nowhere") == 1


def test_a_folder_of_unrelated_files(learner: Learner) -> None:
    (learner.folder / "shopping.py").write_text("import nothing_that_exists\n")

    run = learner.run(FOLDER, "--core")

    assert run.status == pytest.ExitCode.NO_TESTS_COLLECTED
    assert run.out.count("no exercise here: an exercise file is named like ex01_softmax.py") == 1


@pytest.mark.parametrize("option", [*plugin.OPTIONS, ""])
def test_only_who_asks_for_exercises_is_told_that_there_are_none(option: str) -> None:
    lines: list[str] = []
    terminal = SimpleNamespace(line=lines.append)
    config = SimpleNamespace(getoption=lambda name: name == option)

    for status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        plugin.pytest_terminal_summary(terminal, status, config)

    assert ["no exercise here" in line for line in lines] == [True] * bool(option)


def test_an_import_error(run: Run) -> None:
    told = run.about("no_module")

    assert told.failures.count("ModuleNotFoundError: No module named 'nunpy'") == 1
    assert "ex01_softmax.py raises when it is imported" in told.failures
    assert "ex01_softmax.py:1 in <module>" in told.failures
    assert "cannot be judged yet" in told.board
    assert told.letters == "F" + "b" * (CLAIMS - 1)


def test_a_crash_shows_the_learners_own_frames_only(run: Run) -> None:
    told = run.about("helper").out

    assert "AttributeError: 'numpy.ndarray' object has no attribute 'summ'" in told
    assert "ex01_softmax.py:4 in helper" in told
    assert "return x.summ()" in told
    assert "submission.py" not in told
    assert "plugin.py" not in told


def test_a_crash_inside_a_library_shows_where_it_was_called(run: Run) -> None:
    told = run.about("in_numpy")

    assert "return np.concatenate(5)" in told.out
    assert "site-packages" not in told.failures


def test_a_library_below_the_folder_is_not_the_learners(run: Run) -> None:
    told = run.about("library")

    assert "return numbers_of_others.go()" in told.failures
    assert "numbers_of_others.py" not in told.failures
    assert "-" not in told.letters  # which stands for what is not started


def test_raising_not_implemented_again_is_not_red(files: Run) -> None:
    assert {*files.about("half").letters} == {".", "-"}


def test_prints_are_cut(run: Run) -> None:
    told = run.about("prints").out

    assert len(told) < 10_000
    assert "cut after 500 of 30001 characters" in told


def test_reading_standard_input(run: Run) -> None:
    told = run.about("input")

    assert told.failures.count("standard input cannot be read here") == 1
    assert told.letters == "F" * CLAIMS


def test_leaving_the_interpreter(run: Run) -> None:
    told = run.about("exit")

    assert "SystemExit: 0" in told.failures
    assert "cannot be judged yet" in told.board


def test_the_reference_may_not_be_imported(files: Run) -> None:
    told = files.about("reference")

    for slug in OF_THE_REFERENCE:
        assert told.failures.count(f"{slug}.py imports `solutions`") == 1, slug
        assert f"✗ {slug}" in told.board


def test_arguments_that_are_changed_do_no_harm_to_other_claims(run: Run) -> None:
    told = run.about("changed")

    assert (told.letters.count("F"), told.letters.count(".")) == (1, CLAIMS - 1)
    assert "`scores` was changed by softmax" in told.failures


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run over code that takes long."""
    learner = Learner(tmp_path_factory.mktemp("slow"))
    endless = f"{forward(0.9)}\nwhile True: pass"
    learner.below("loop").softmax(endless, "import signal")
    learner.below("at_import").softmax(RIGHT, f"import signal\n{endless}")
    learner.below("waits").softmax(RIGHT, f"import time\n\n{NUMPY}\n\ntime.sleep(1.1)")
    return learner.run(FOLDER, "--timeout", "1")


def test_a_loop_without_an_end(slow: Run) -> None:
    told = slow.about("loop")

    message = "stopped after 1 seconds of computing: is there a loop that does not end?"
    assert told.failures.count(message) == 1
    assert told.letters == "F" + "b" * (CLAIMS - 1)
    assert slow.count("blocked") == 2 * (CLAIMS - 1)
    assert "✗ ex01_softmax ★  ran out of time" in told.board
    assert f"next: ex01_softmax  {FOLDER}/loop/ex01_softmax.py:6" in told.board  # the loop


def test_a_loop_without_an_end_at_import(slow: Run) -> None:
    told = slow.about("at_import")

    assert told.failures.count("is there a loop that does not end?") == 1
    assert "ran out of time" in told.board


def test_time_that_others_take_does_not_count(slow: Run) -> None:
    """A process that waits for a busy machine computes as little as one that sleeps."""
    assert "✓ ex01_softmax" in slow.about("waits").board


def test_a_claim_that_sleeps_for_ever(learner: Learner) -> None:
    learner.softmax("import time\ntime.sleep(3600)")

    run = learner.run(FOLDER, "--timeout", "0.2")

    assert "stopped after 1 seconds: is there a loop that does not end?" in run.failures
    assert "time.sleep(3600)" in run.failures
    assert run.count("blocked") == CLAIMS - 1
