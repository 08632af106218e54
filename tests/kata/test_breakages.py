"""The list of breakages fits the code of today; tests/long makes them all."""

from kata.course.curriculum import ROOT
from tests.helpers.breakages import breakages

FEWEST, FEWEST_FAST = 40, 34
KATA = ROOT / "kata"
# The files of kata/ itself count as one room.
ROOMS = {path.name for path in KATA.iterdir() if (path / "__init__.py").exists()}


def test_each_fits_once_and_names_a_test() -> None:
    for breakage in breakages():
        file, _, name = breakage.test.partition("::")
        text = (ROOT / breakage.file).read_text(encoding="utf-8")
        suite = (ROOT / file).read_text(encoding="utf-8")

        assert text.count(breakage.find) == 1, breakage
        assert breakage.replace != breakage.find, breakage
        assert f"def {name.partition('[')[0]}(" in suite, breakage


def test_there_are_enough_and_every_room_has_one() -> None:
    assert len(breakages()) >= FEWEST
    assert sum(breakage.is_fast for breakage in breakages()) >= FEWEST_FAST
    assert ROOMS - {breakage.room for breakage in breakages()} == set()
