"""Make docs/sheet.png and docs/poster.png: the handouts that the README shows."""

from pathlib import Path

from kata.course.curriculum import exercises
from kata.handouts.paper import poster, sheets
from kata.handouts.paper.typesetting import png

FOLDER = Path(__file__).parent
PAPER = "a4"


def pictures() -> dict[str, bytes]:
    """Each picture by its name."""
    heads = exercises()["ex07_heads"]
    return {
        "sheet.png": png("sheet.typ", sheets.data(heads), PAPER, ppi=80),
        "poster.png": png("poster.typ", poster.data(), PAPER, ppi=36),
    }


if __name__ == "__main__":
    for name, content in pictures().items():
        (FOLDER / name).write_bytes(content)
