"""What lies in a learner's folder: the stubs, and what pytest, editors and assistants read."""

from pathlib import Path

from kata.course.curriculum import EXERCISES, exercises
from kata.course.stubs import stub
from kata.proofs.stubs import proof_stub

FILES = Path(__file__).with_name("files")
NAMES = {  # of the files here, and there
    "README.md": "README.md",
    "AGENTS.md": "AGENTS.md",
    "pytest.ini": "pytest.ini",
    "gitignore": ".gitignore",
    "vscode-settings.json": ".vscode/settings.json",
}
CONFTEST = "conftest.py"
PYTEST_INI = "pytest.ini"
OTHER_SETTINGS = ("pyproject.toml", "tox.ini", "setup.cfg")  # pytest.ini would hide theirs


def layout(home: Path) -> dict[str, bytes]:
    """The content of each file, by its path in this folder."""
    own = {there: (FILES / here).read_bytes() for here, there in NAMES.items()}
    if any((home / name).exists() for name in OTHER_SETTINGS):
        del own[PYTEST_INI]
    stubs = {
        f"exercises/{exercise.filename}": stub(exercise).encode()
        for exercise in exercises().values()
    }
    proofs = {
        f"proofs/{exercise.filename}": proof_stub(exercise).encode()
        for exercise in exercises().values()
    }
    conftest = {f"exercises/{CONFTEST}": (EXERCISES / CONFTEST).read_bytes()}
    return {**own, **conftest, **stubs, **proofs}
