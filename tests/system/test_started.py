"""Commands as they are started, where a Python of its own matters: scripts, and a whole update."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kata.commands import doctor
from kata.course.curriculum import ROOT, exercises
from tests.helpers.another_kata import another_kata, run_in
from tests.helpers.learner_folder import FOLDER, Learner, run_python
from tests.helpers.sampling import sample
from tests.kata.commands.test_update import EX18, retire_the_last_two

CALLS = [
    ("ex09_multi_head_attention", 12), ("ex17_builtin_attention", 7), ("ex18_training_run", 4),
]  # fmt: skip
READ_A_HOSTILE_TAR = """\
import io, resource, tarfile
resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
member = tarfile.TarInfo("x")
member.size, member.type = 512_000, tarfile.XHDTYPE
try:
    tarfile.open(fileobj=io.BytesIO(member.tobuf() + b"1" * 512_000 + bytes(1024)))
except tarfile.TarError:
    pass
"""


@pytest.mark.parametrize(("slug", "number"), sample(CALLS))
def test_a_script_computes_the_same_without_the_kata(
    tmp_path: Path, slug: str, number: int
) -> None:
    learner, short = Learner(tmp_path), exercises()[slug].short
    learner.solve("ex05", "ex07", short)
    call = ["call", short, str(number), "--folder", FOLDER]

    written = run_python("kata", [*call, "--repro", "again.py"], tmp_path)
    here = run_python("kata", call, tmp_path, keys="print(call())").out

    assert written.status == 0, written.err
    assert len(here) > 20
    start = "import sys, runpy; sys.modules['kata'] = None; runpy.run_path('again.py')"
    command = [sys.executable, "-c", start]
    assert subprocess.check_output(command, cwd=tmp_path, text=True).startswith(here)


def test_a_whole_update_and_nothing_is_left_for_another(tmp_path: Path) -> None:
    """A suite has another name, two exercises are gone, two have newer stubs, two are worked on."""
    mine, newer = another_kata(tmp_path / "mine"), another_kata(tmp_path / "newer")
    suite = newer / "tests" / "graded" / "test_ex01_softmax.py"
    renamed = suite.rename(suite.with_name("test_ex01_soft_max.py"))
    retire_the_last_two(newer)
    (mine / "exercises" / "ex01_softmax.py").write_text("def softmax(scores, axis=-1): ...\n")
    shutil.copy(exercises()[EX18].solution, mine / "exercises")
    for name in ("ex01_softmax", "ex02_attention_scores"):
        for folder in ("exercises", "solutions"):
            path = newer / folder / f"{name}.py"
            path.write_text(path.read_text().replace('"""Exercise', '"""The newer exercise'))

    done = run_in(mine, "-m", "kata", "update", str(newer))
    again = run_in(mine, "-m", "kata", "update", str(newer))
    found = run_in(mine, "-m", "pytest", "--collect-only", "-q", "tests/graded", "-p",
                   "no:cacheprovider")  # fmt: skip

    assert (done.status, done.err, again.out) == (0, "", "everything is up to date\n")
    assert "newer" in (mine / "exercises" / "ex01_softmax.new.txt").read_text()
    assert renamed.name in found.out
    assert suite.name not in found.out


def test_the_doctor_warns_of_this_python_if_a_hostile_tar_keeps_it_busy() -> None:
    pytest.importorskip("resource", reason="limits the time of a process")
    done = subprocess.run([sys.executable, "-c", READ_A_HOSTILE_TAR], check=False)

    assert bool([*doctor.slow_tars()]) == (done.returncode != 0)


def test_the_doctor_finds_the_torch_that_is_here() -> None:
    run = run_python("kata", ["doctor"], ROOT, anew=True)

    assert run.status == 0
    assert "✗" not in run.out
    assert "✓ torch" in run.out
