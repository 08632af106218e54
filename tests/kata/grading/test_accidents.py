"""What is an accident in the code, and what is none."""

import pytest

from kata.grading.disclosure import Noticed, sort_out
from kata.inside import audit
from kata.verdict import ClaimVerdict, Message, State

WRITES = 'def f(x):\n    print(x, file=open("notes.txt", "a"))\n    return x\n'
STOPS = "def f(x):\n    breakpoint()\n    return x\n"
PLOTS = "import matplotlib.pyplot as plt\ndef f(x):\n    plt.imshow(x)\n    plt.show()\n"
CLEARS = "import os\nos.system('cls')\n"
OF_PDB = ("open('/.pdbrc', 'r')", "open('.pdbrc', 'r')", "sys.settrace()")
FILE = "the code uses a file, and there are none where it is graded: line 2"


def noticed(text: str, *seen: str) -> Noticed:
    return sort_out(text, seen, ())


@pytest.mark.parametrize(
    ("text", "seen", "told"),
    [
        (STOPS, OF_PDB, "`breakpoint()` was left in the code: line 2"),
        (STOPS, (), "`breakpoint()` was left in the code: line 2"),  # in a branch that never ran
        (STOPS.replace("breakpoint", "import pdb; pdb.set_trace"), OF_PDB,
         "`pdb.set_trace()` was left in the code: line 2"),
        (WRITES, ("open('notes.txt', 'a')",), FILE),
        (WRITES, ("open('/home/me/notes.txt', 'w')",), FILE),
        (WRITES, ("open('../notes.txt', 'w')",), FILE),
        (WRITES, ("open('/content/drive/data.npy', 'r')",), FILE),
        (WRITES, ("open('/tmp/2wg2l_bo', None)", "open('/var/tmp/5jyezxaw', None)"), FILE),
        (CLEARS, ("os.system(b'cls')",),
         "the code clears a screen, and there is none where it is graded: line 2"),
        (PLOTS, ("open('/tmp/2wg2l_bo', None)", "os.scandir('/usr/share/fonts')"),
         "a plot was left in the code, and there is no screen where it is graded: lines 3, 4"),
    ],
)  # fmt: skip
def test_an_accident_is_told_as_what_it_is(text: str, seen: tuple[str, ...], told: str) -> None:
    assert noticed(text, *seen) == Noticed((told,), ())


@pytest.mark.parametrize(("text", "seen"), [
    (WRITES, "open('/etc/passwd', 'r')"), (WRITES, "os.listdir('/home')"),
    (WRITES, "open('../../solutions/ex01_softmax.py', 'r')"),
    (WRITES, "open('../other/ex01_softmax.py', 'r')"),
    (WRITES, "open('/home/prof/.ssh/id_rsa', 'r')"),
    (WRITES, "open('/home/prof/grades/grades.csv', 'w')"),
    (WRITES, "os.remove('/home/me/notes.txt')"), (WRITES, "socket.connect(\u2026)"),
    (WRITES, "something that its process does not name"),
    (STOPS, "open('notes.txt', 'w')"),  # no line opens a file
    (CLEARS, "os.system(b'rm -rf /')"), (PLOTS, "subprocess.Popen('sh', ['sh', '-c'])"),
    ("x = 1\n", "sys.settrace()"), ("x = 1\n", "open('.pdbrc', 'r')"),
])  # fmt: skip
def test_what_no_accident_does_remains_tampering(text: str, seen: str) -> None:
    assert noticed(text, seen).tampering == (seen,)


def test_harm_is_not_hidden_behind_accidents() -> None:
    """Where more was tried than is written down, nothing of it is excused."""
    seen = [f"open('notes{number}.txt', 'w')" for number in range(audit.MOST)]

    assert noticed(WRITES, *seen).tampering == tuple(seen)
    assert noticed(WRITES, *seen[1:]).tampering == ()


def test_a_package_that_is_missing_is_told_by_the_line_that_imports_it() -> None:
    text = "import torch\nfrom einops.layers import torch\n"
    evidence = "ModuleNotFoundError: No module named 'einops'"
    claim = ClaimVerdict("test_it", State.ERROR, Message("it raises", evidence=evidence))

    told = "`einops` is not installed where this was graded: line 2"
    assert sort_out(text, (), [claim]).left_over == (told,)
    assert sort_out("import torch\n", (), [claim]).left_over == ()  # in words of its own


@pytest.mark.parametrize("text", [
    "class M:\n    def f(self, x):\n        return self.embed(x)\n",  # a layer of its own
    "def load(x):\n    return x\nload(1)\n", "def f(:\n",
])  # fmt: skip
def test_what_is_called_like_it_is_no_left_over(text: str) -> None:
    assert noticed(text) == Noticed((), ())
