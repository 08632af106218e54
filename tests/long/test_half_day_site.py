"""The site of the half-day workshop, without the exercises that it leaves out."""

from pathlib import Path

from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.handouts.site.exhibits.exhibit import exhibits
from kata.handouts.site.pages import build
from tests.kata.handouts.test_site import ENTRANCES, Tree, links
from tests.system.test_site_browser import is_page


def test_the_half_day_is_a_site_of_its_own(tmp_path: Path) -> None:
    core = [each for each in exercises().values() if each.core]
    written = build(tmp_path, core=True)
    trees = {p.resolve(): Tree(p.read_text(encoding="utf-8")) for p in written if is_page(p)}

    touched = 1 + len(exhibits())  # and their index
    of_core = len(core) + sum(len(bugs(each)) for each in core)
    assert len(trees) == len(ENTRANCES) + touched + of_core
    for path, tree in trees.items():
        for target, _ in links(tmp_path.resolve(), str(path.relative_to(tmp_path.resolve())), tree):
            assert target.is_file(), (path, target)
