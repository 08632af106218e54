"""A new exercise without the parts that are optional: checked, printed and exhibited."""

from pathlib import Path

from tests.system.test_new_exercise import (
    CAPTIONS,
    OPTIONAL,
    SLUG,
    fill_in,
    home,  # noqa: F401  # a fixture
    kata,
    new,
    page,
    pdf,
    run,
)

PLAN = "from kata.handouts.paper.build import days; print(days('full'))"


def test_it_may_do_without_a_figure_and_without_a_text_for_its_sheet(
    home: Path,  # noqa: F811
) -> None:
    new(home)
    fill_in(home)
    for name in OPTIONAL:
        (home / name).unlink()
    captions = (home / CAPTIONS).read_text(encoding="utf-8")
    (home / CAPTIONS).write_text(captions[: captions.index(f"[{SLUG}]")], encoding="utf-8")

    checked = kata(home, "check", "ex29")
    kata(home, "handouts", "--core")
    kata(home, "handouts", "--core", "--slides")
    kata(home, "handouts", "--core", "--html", "--out", "site")

    assert all(name in checked for name in OPTIONAL)
    assert checked.count("ex29: note: ") == len(OPTIONAL) + 2
    assert "guide.toml has nothing to say first about ex29" in checked
    assert "nothing is marked `level = 1`" in checked
    assert SLUG in run(home, "-c", PLAN).out
    assert "Traps" in pdf(home / f"handouts/sheets/{SLUG}.pdf")
    assert "On paper" not in pdf(home / f"handouts/sheets/{SLUG}.pdf")
    assert "Where groups stall" in pdf(home / "handouts/book.pdf")
    assert f"pytest exercises/{SLUG}.py" in pdf(home / "handouts/slides.pdf")
    assert ".svg" not in page(home)
