"""Files that no suite can judge: one clear message each, the others judged, nothing lost."""

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import NamedTuple

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


@pytest.fixture
def softmaxes(learner: Learner) -> Run:
    """One run over all softmaxes, each in a folder of its own."""
    for name, (body, top) in SOFTMAXES.items():
        learner.below(name).softmax(body, top)
    of_others(learner.below("library"))
    return learner.run()


@pytest.fixture
def files(learner: Learner) -> Run:
    """One run over all folders of files."""
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


class Told(NamedTuple):
    """What is said of a folder."""

    name: str
    said: tuple[str, ...] = ()  # in its failures
    once: str = ""  # there, too, and not twice
    board: str = ""
    silent: tuple[str, ...] = ()  # nowhere
    letters: str = ""  # of all its claims


BLOCKED = "b" * (CLAIMS - 1)
OF_SOFTMAXES = (
    Told("none", ("returned None, expected a numpy array (is a `return` missing?)",)),
    Told("list", ("returned a list of 3, expected a numpy array",)),
    Told("shape", ("shape (1, 3), expected (3,)",)),
    Told("later", ("imports `.ex02_attention_scores`; ex01 may import no earlier exercise",)),
    Told("clock", ("stopped after 10 seconds",)),
    Told("replaced", ("ZeroDivisionError: division by zero", "return 1 / 0"),
         board=f"0 of {CLAIMS} claims hold"),
    Told("no_module", ("ex01_softmax.py raises when it is imported", "ex01_softmax.py:1 in <mod"),
         once="ModuleNotFoundError: No module named 'nunpy'", board="cannot be judged yet",
         letters=f"F{BLOCKED}"),
    Told("helper", ("AttributeError: 'numpy.ndarray' object has no attribute 'summ'",
                    "ex01_softmax.py:4 in helper", "return x.summ()"),
         silent=("submission.py", "plugin.py")),  # the learner's own frames only
    Told("in_numpy", ("return np.concatenate(5)",), silent=("site-packages",)),
    Told("library", ("return numbers_of_others.go()",), silent=("numbers_of_others.py",),
         letters="F" * CLAIMS),  # none is "-", which stands for what is not started
    Told("prints", ("cut after 500 of 30001 characters",)),
    Told("input", once="standard input cannot be read here", letters="F" * CLAIMS),
    Told("exit", ("SystemExit: 0",), board="cannot be judged yet"),
    Told("changed", ("`scores` was changed by softmax",)),
)  # fmt: skip
OF_FILES = (
    Told("empty", ("ex01_softmax.py has no `softmax`",)),
    Told("function", ("has no `softmax`; did you mean `softmax` where it says `sofmax`?",)),
    Told("misspelled", ("ex01_sofmax.py is not the name of an exercise; did you mean `ex01_soft",
                        "ex07_head.py is not the name of an exercise"), letters="FF"),
    Told("no_dot", ("write `from .ex01_softmax import …`",)),
    Told("long_right", board="✓ ex01_softmax"),
    *(Told("no_python", once=f"{slug}.py{':' if text[0].isdigit() else ''}{text}",
           board="✓ ex02_attention_scores") for slug, (_, text) in NO_PYTHON.items()),
    Told("no_python", ("ex08_heads_in_a_list.py is a folder, expected a Python file",)),
    *(Told("reference", once=f"{slug}.py imports `solutions`", board=f"✗ {slug}")
      for slug in OF_THE_REFERENCE),
)  # fmt: skip


def untrue(told: Told, run: Run) -> list[str]:
    """What is not so."""
    about = run.about(told.name)
    lacking = [text for text in told.said if text not in about.failures]
    more = [told.once] if told.once and about.failures.count(told.once) != 1 else []
    spare = [text for text in told.silent if text in about.out]
    letters = [about.letters] if told.letters and about.letters != told.letters else []
    return lacking + more + spare + letters + [told.board] * (told.board not in about.board)


def ends_well(run: Run) -> bool:
    """Without an error of its own, although work is left."""
    return run.status == 1 and not re.search("Traceback|INTERNALERROR", run.out + run.err)


def test_what_is_wrong_is_told(softmaxes: Run) -> None:
    changed = softmaxes.about("changed").letters

    assert ends_well(softmaxes)
    assert {told.name: wrong for told in OF_SOFTMAXES if (wrong := untrue(told, softmaxes))} == {}
    assert len(softmaxes.about("prints").out) < 10_000
    # Arguments that are changed do no harm to other claims.
    assert (changed.count("F"), changed.count(".")) == (1, CLAIMS - 1)


def test_what_is_wrong_with_files_is_told(files: Run) -> None:
    board = files.about("no_python").board
    rows = [slug for slug in NO_PYTHON if not re.search(rf"✗ {slug} .*  cannot be judged", board)]

    assert ends_well(files)
    assert {told: wrong for told in OF_FILES if (wrong := untrue(told, files))} == {}
    assert rows == []
    assert {*files.about("half").letters} == {".", "-"}  # what raises again is not red
    for number, texts in enumerate(LONG):  # code of any length and depth is told briefly
        told = files.about(f"long_{number}")
        failures = " ".join(told.failures.split())
        assert [slug for slug, (_, text) in texts.items() if text not in failures] == []
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


def test_a_loop_without_an_end_is_stopped(learner: Learner) -> None:
    endless = f"{forward(0.9)}\nwhile True: pass"
    learner.below("loop").softmax(endless, "import signal")
    learner.below("at_import").softmax(RIGHT, f"import signal\n{endless}")
    learner.below("waits").softmax(RIGHT, f"import time\n\n{NUMPY}\n\ntime.sleep(1.1)")

    run = learner.run(FOLDER, "--timeout", "1")

    told, at_import = run.about("loop"), run.about("at_import")
    message = "stopped after 1 seconds of computing: is there a loop that does not end?"
    assert told.failures.count(message) == 1
    assert told.letters == f"F{BLOCKED}"
    assert run.count("blocked") == 2 * len(BLOCKED)
    assert "✗ ex01_softmax ★  ran out of time" in told.board
    assert f"next: ex01_softmax  {FOLDER}/loop/ex01_softmax.py:6" in told.board  # the loop
    assert at_import.failures.count("is there a loop that does not end?") == 1
    assert "ran out of time" in at_import.board
    # A process that waits for a busy machine computes as little as one that sleeps.
    assert "✓ ex01_softmax" in run.about("waits").board


def test_a_claim_that_sleeps_for_ever(learner: Learner) -> None:
    learner.softmax("import time\ntime.sleep(3600)")

    run = learner.run(FOLDER, "--timeout", "0.2")

    assert "stopped after 1 seconds: is there a loop that does not end?" in run.failures
    assert "time.sleep(3600)" in run.failures
    assert run.count("blocked") == CLAIMS - 1
