"""The site in a browser: what is asked for, what can be found, read and reached.

It has every exercise, each with some of its wrong answers; before a release, all of them.
"""

import gzip
import html
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from kata.course.catalogue import Bug, bugs
from kata.course.curriculum import Exercise, exercises
from kata.handouts.excerpts import given_away
from kata.handouts.site.exhibits.exhibit import exhibits
from kata.handouts.site.museum import museum_room as room
from kata.handouts.site.pages import write
from tests.helpers.browser import (
    ENOUGH,
    LEVELS,
    NARROW,
    Scheme,
    barriers,
    faint,
    inside,
    without_scripts,
)
from tests.helpers.sampling import everything, sample
from tests.kata.handouts.test_site import ENTRANCES, Tree, links

pytest_plugins = ["tests.helpers.browser"]

WIDE = ViewportSize(width=1200, height=900)
ONE_IN = 40  # wrong answers has a page at every push, beside those that are named here
SAMPLE = [
    "index.html",
    "search.html?q=nan",
    "wild.html",
    *(f"exercises/{slug}.html" for slug in sample([*exercises()], one_in=6)),
    "bugs/ex05_causal_masks/scores-fill-dropped.html",  # with maps and a twin
    "bugs/ex08_heads_in_a_list/list-called-head.html",  # with a long message
    "bugs/ex09_multi_head_attention/merge-without-transpose.html",  # with misplaced numbers
    "bugs/ex07_heads/split-view-without-transpose.html",  # in the colours of heads
]
MAPPED = {SAMPLE[-4], SAMPLE[-1]}
ONE_OF_EACH_KIND = (*SAMPLE[:3], "exercises/ex05_causal_masks.html")
AXED = sample([*ONE_OF_EACH_KIND, *SAMPLE[-4:]], ONE_OF_EACH_KIND)
# What people type or paste, and one of the mistakes that it has to find among the first five.
QUERIES = {
    "Expected size for first two dimensions of batch2 tensor": "ex03/keys-not-transposed",
    "-inf": "ex05/scores-plus-infinity",
    "register_buffer": "ex06/mask-made-at-the-first-call",
    "foward": "ex09/foward",
    "nan after softmax": "ex05/attention-nan-covered-up",
    "nn.ModuleList": "ex08/list-in-a-list",
    "contiguous": "ex20/norm-views",
    "sqrt": "ex03/module-scaled-by-d-in",
    "scores-fill-dropped": "ex05/scores-fill-dropped",
    "test_a_mask_changes_the_scores": "ex05/scores-fill-dropped",
    "NaN loss": "ex23/mean-nan-if-empty",
    "causal mask leaks future": "ex05/causal-leaks-one",
    "loss does not go down": "ex18/gradient-ascent",
    "view size is not compatible with input tensor's size and stride": "ex05/scores-viewed",
    "masked_fill returns a new tensor": "ex05/scores-fill-dropped",
    "softmax dim": "ex03/softmax-without-axis",
    "softmax over the wrong axis": "ex01/axis-one",
    "heads reshape without transpose": "ex07/merge-without-transpose",
    "The size of tensor a (4) must match the size of tensor b (8) at dimension 3": (
        "ex05/scores-padding-squeezed"
    ),
    "no_grad": "ex03/module-under-no-grad",
    "dropout in eval mode": "ex22/dropout-in-evaluation",
    "rows do not sum to 1": "ex01/whole-array",
    "transpose(1, 2)": "ex07/merge-without-transpose",
    "layernorm unbiased variance": "ex12/unbiased-variance",
    "var correction": "ex12/unbiased-variance",
    "eps outside the square root": "ex20/eps-outside-the-root",
    "scale by sqrt(d_model) instead of head dim": "ex09/scaled-by-model-width",
    "padding mask inverted": "ex28/mask-inverted",
    "float('-inf') row all nan": "ex05/attention-empty-row-nan",
    "residual connection missing": "ex14/first-residual-missing",
    "position ids offset kv cache": "ex19/offset-ignored",
    "rotate_half interleaved": "ex19/halves-interleaved",
    "repeat_interleave kv heads": "ex25/samples-and-heads-exchanged",
    "ignore_index cross entropy": "ex23/mean-nan-if-empty",
    "labels not shifted": "ex23/shift-not-shifted",
    "temperature 0": "ex24/temperature-zero-divides",
    "top_p": "ex24/top-p-inverted",
    "optimizer.zero_grad": "ex18/no-zero-grad",
    "np.exp overflow": "ex01/no-shift",
    "element 0 of tensors does not require grad": "ex18/detached-output",
    "tokens see the future": "ex05/causal-leaks-one",
    "the same seed for every call": "ex06/seed-in-forward",
    "AttributeError: 'MultiHeadAttention' object has no attribute 'foward'": "ex09/foward",
    "torch.cat(heads, dim=1)": "ex08/joined-along-the-tokens",
    "loss does not go down transformer": "ex18/gradient-ascent",
}
FIRST = """(queries) => Object.fromEntries(queries.map((query) => {
  const box = document.querySelector("header input");
  box.value = query;
  box.dispatchEvent(new Event("input"));
  const found = [...document.querySelectorAll("#results li:nth-child(-n+5) a")];
  return [query, found.map((each) => each.getAttribute("href"))];
}))"""
FOLDED = r'<details class="line">.*?</details>'
SHADES = """() => [...document.querySelectorAll("main .map:not([aria-hidden])")].map(map => [
  getComputedStyle(map.querySelector(".number")).fill,
  getComputedStyle(map.querySelector(".paper")).fill,
  [...map.querySelectorAll("[fill-opacity]")].map(each =>
    [getComputedStyle(each).fill, Number(each.getAttribute("fill-opacity"))]),
])"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write(folder, (room(exercise, exhibited(exercise)) for exercise in exercises().values()))
    return folder


def exhibited(exercise: Exercise) -> list[Bug]:
    """The wrong answers that have a page, among them those that the tests name."""
    known = bugs(exercise)
    named = [bug for bug in known if is_named(f"{exercise.short}/{bug.slug}", exercise)]
    return sample(known, named, one_in=ONE_IN)


def is_named(name: str, exercise: Exercise) -> bool:
    page = f"bugs/{name.replace(exercise.short, exercise.slug, 1)}.html"
    return page in SAMPLE or name.startswith((*QUERIES.values(),))


@pytest.fixture(scope="module")
def opened(chromium: BrowserContext, site: Path) -> Iterator[tuple[Page, list[str]]]:
    with inside(chromium, site) as tab:
        yield tab


@pytest.fixture
def tab(opened: tuple[Page, list[str]]) -> Iterator[Page]:
    """The same tab for all tests, which is quicker; it has nothing to complain."""
    page, trouble = opened
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light", media="screen")
    yield page
    assert trouble == []


def test_every_page_is_well_formed_and_every_link_leads_somewhere(site: Path) -> None:
    trees = {p.resolve(): Tree(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    wrong = sum(len(exhibited(exercise)) for exercise in exercises().values())

    assert len(trees) == len(ENTRANCES) + len(exercises()) + wrong + 1 + len(exhibits())
    for path, tree in trees.items():
        assert tree.trouble == []
        for target, place in links(site, str(path.relative_to(site.resolve())), tree):
            assert target.is_file(), (path, target)
            known = trees[target].all("id") if place and target in trees else []
            assert not place or place in known or "=" in place  # the state of an exhibit


def test_no_page_shows_a_line_of_a_solution_but_where_it_is_folded(site: Path) -> None:
    for slug, exercise in exercises().items():
        lines = given_away(exercise)
        assert lines
        for path in [site / f"exercises/{slug}.html", *(site / "bugs" / slug).iterdir()]:
            text = re.sub(FOLDED, "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            told = html.unescape(text)
            assert [line for line in lines if line in told] == [], path


def test_every_wrong_answer_has_its_evidence_and_a_map_where_numbers_differ(site: Path) -> None:
    maps, paths = 0, [*site.glob("bugs/*/*.html")]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        (evidence, *_) = re.findall(r'<p class="evidence">(.*?)</p>', text)
        several = re.match(r"\d+ of (\d+) values .*(differ|finite)", evidence)
        if several and int(several[1]) > 1 and "compared here" not in evidence:
            maps += 1
            assert 'class="maps"' in text, path
    assert maps > 0.3 * len(paths)


def test_forty_queries_find_what_they_should_among_the_first_five(tab: Page, site: Path) -> None:
    visit(tab, site / "search.html")
    found = {query: [re.sub(r"bugs/(ex\d+)\w*/(.*)\.html", r"\1/\2", each) for each in hrefs]
             for query, hrefs in tab.evaluate(FIRST, [*QUERIES]).items()}  # fmt: skip
    missed = {query: found[query] for query, wanted in QUERIES.items()
              if not any(each.startswith(wanted) for each in found[query])}  # fmt: skip

    assert len(QUERIES) >= 40
    assert missed == {}


def test_a_search_has_an_address_and_shows_results_as_one_types(tab: Page, site: Path) -> None:
    visit(tab, site / "index.html")
    tab.locator("main input[name=q]").fill("masked_fill dropped")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/search.html?q=masked_fill+dropped")
    first = tab.locator("#results a").first
    expect(first).to_contain_text("masked_fill")
    expect(tab.locator("#found")).to_have_text(re.compile(r"^\d+ found"))

    tab.locator("header input").fill("buff")  # a word that is not finished
    near = tab.locator("#results li:nth-child(-n+5)", has_text="buffer")
    expect(near.first).to_be_visible()
    assert tab.url.endswith("?q=buff")
    tab.keyboard.press("Enter")
    expect(tab.locator("#results a").first).to_be_focused()
    tab.locator("header input").fill("zzzz")
    expect(tab.locator("#found")).to_have_text("0 found")


def test_without_scripts_a_search_leads_to_the_lists(chromium: BrowserContext, site: Path) -> None:
    with inside(chromium, site) as (tab, trouble):
        without_scripts(tab)
        visit(tab, site / "search.html?q=nan")

        tab.get_by_role("link", name="The exercises").click()
        tab.locator(".rooms a").first.click()
        tab.locator("details.catch summary").first.click()
        expect(tab.locator("details.catch[open] .card").first).to_be_visible()
        assert trouble == []


def test_a_claim_that_is_linked_to_is_open(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[-1])
    tab.locator("main .note a").click()

    expect(tab.locator("details.catch[open] p:target")).to_be_in_viewport()


def test_a_page_can_be_used_at_once(site: Path, tab: Page) -> None:
    for name in ("index.html", "search.html", "exercises/ex05_causal_masks.html", SAMPLE[-1]):
        visit(tab, site / name)
        seconds = tab.evaluate(
            "performance.getEntriesByType('navigation')[0].domInteractive"
            " - performance.getEntriesByType('navigation')[0].responseEnd"
        )
        assert seconds < 300 * 3, name  # milliseconds; three times as many on a busy machine
    assert len(gzip.compress((site / "index.html").read_bytes())) < 100_000


def test_the_first_tab_skips_to_the_content(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[1])

    tab.keyboard.press("Tab")
    expect(tab.locator(".skip")).to_be_focused()
    expect(tab.locator(".skip")).to_be_in_viewport()


def test_hints_are_shown_one_by_one(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[-1])
    hints = tab.locator(".hint p")

    assert [each.is_visible() for each in hints.all()] == [False, False, False]
    tab.locator(".hint summary").first.click()
    assert [each.is_visible() for each in hints.all()] == [True, False, False]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_page_can_be_read_and_heard(tab: Page, site: Path, name: str) -> None:
    """Headings in order, a text for each picture, contrast in both schemes, and 390 px."""
    visit(tab, site / name)
    levels = tab.evaluate(LEVELS)

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tab.locator("img:not([alt]), img[alt='']").count() == 0
    assert tab.locator("svg:not([aria-label]):not([aria-hidden])").count() == 0
    assert tab.evaluate("[...document.images].every(each => each.naturalWidth > 0)")
    assert_told_apart(tab, name)
    if name in AXED:
        assert barriers(tab, contrast=everything()) == []  # contrast is judged above
    tab.set_viewport_size(NARROW)
    tab.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def assert_told_apart(tab: Page, name: str) -> None:
    """Each text from its ground, and each number of a map from its cell."""
    schemes: list[Scheme] = ["light", "dark"]
    for scheme in schemes:
        tab.emulate_media(color_scheme=scheme)
        assert faint(tab, ".aside, .map, .cell") == set(), scheme
        maps = tab.evaluate(SHADES)
        assert len(maps) == 2 or name not in MAPPED
        for text, paper, layers in maps:
            assert layers
            for ink, share in layers:
                ground = [
                    share * a + (1 - share) * b for a, b in zip(rgb(ink), rgb(paper), strict=True)
                ]
                assert contrast(rgb(text), ground) >= ENOUGH, scheme


def test_a_page_prints_without_its_menus(tab: Page, site: Path) -> None:
    visit(tab, site / SAMPLE[-4])
    tab.emulate_media(media="print", color_scheme="dark")

    expect(tab.locator("header")).to_be_hidden()
    expect(tab.locator(".message")).to_be_visible()
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 51)"


def visit(tab: Page, path: Path) -> None:
    file, _, query = str(path).partition("?")
    tab.goto(Path(file).resolve().as_uri() + (f"?{query}" if query else ""))


def is_page(path: Path) -> bool:
    return path.suffix == ".html"


def rgb(text: str) -> list[float]:
    """The three parts of rgb(29, 36, 51)."""
    return [float(each) for each in re.findall(r"[\d.]+", text)[:3]]


def contrast(one: list[float], other: list[float]) -> float:
    """The ratio of WCAG 2."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: list[float]) -> float:
    parts = [each / 255 for each in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
