"""What `kata handouts` is asked for reaches what makes it; tests/system reads the PDFs."""

from pathlib import Path

import pytest

from kata.__main__ import main
from kata.course.curriculum import exercises
from kata.handouts.paper import build
from kata.handouts.site.address import NOWHERE, Address

CORE = [slug for slug, exercise in exercises().items() if exercise.core]
ALONE = {"book.pdf", "cheatsheet.pdf", "poster.pdf"}


def test_the_options_are_handed_on_and_the_paths_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def made(*given: object) -> list[tuple[Path, bytes]]:
        asked.append(given)
        return [(Path("sheets/one.pdf"), b"%PDF")]

    monkeypatch.setattr(build, "build", made)
    monkeypatch.setattr(build, "slides", made)
    where = ["--out", str(tmp_path)]
    places = ["--address", "https://a.org/kata", "--repository", "https://a.org/source"]

    assert main(["handouts", *where, "--paper", "letter", "--core", *places]) == 0
    assert main(["handouts", *where, "--slides"]) == 0
    address = Address("https://a.org/kata", "https://a.org/source")
    assert asked == [("letter", True, address), (False,)]
    assert capsys.readouterr().out == f"{tmp_path / 'sheets/one.pdf'}\n" * 2
    assert (tmp_path / "sheets/one.pdf").read_bytes() == b"%PDF"


@pytest.mark.parametrize(("core", "slugs"), [(True, CORE), (False, [*exercises()])])
def test_every_handout_is_made_on_the_paper_that_is_asked_for(core: bool, slugs: list[str]) -> None:
    made = dict(build._handouts("letter", core, NOWHERE))

    kinds = ("sheets", "proofs", "hunts")
    assert made.keys() == ALONE | {f"{kind}/{slug}.pdf" for slug in slugs for kind in kinds}
    assert [name for name, make in made.items() if "letter" not in make.args] == []
    assert made["book.pdf"].args == ("letter", core)
