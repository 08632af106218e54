"""What each student reads of their own work: enough to go on, and nothing of anybody else's."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.curriculum import exercises
from kata.grading.reports import feedback
from kata.grading.reports.feedback import escaped, fenced, inline, sealed
from kata.grading.reports.formats import stem, write_only
from kata.marks import Mark
from kata.text import clean
from kata.verdict import ClaimVerdict, ExerciseVerdict, Message, Picture, State
from tests.helpers import odd_class as odd
from tests.helpers.page_reader import PageReader
from tests.helpers.sampling import everything

SLUG = "ex05_causal_masks"
FORMS = ("html", "md")
COUNT = 45  # students: all the odd names, and some plain ones
SLUGS = [*exercises()][::4]  # theirs
FEW = 45 if everything() else 6  # who have all exercises
HOSTILE = (
    *odd.NAMES, "](javascript:alert(1))", "![x](http://e.vil/x.png)", "``` ~~~", "a `b` `` c ```",
    "<https://e.vil>", "https://e.vil/x", "www.e.vil", "&lt;b&gt; &#60;", "# no heading", "1. no",
    "2) list", "- no list", "+ no", "> no quote", "---", "===", "***", "a\n===", "a\n\n    code",
    "[x]: http://e.vil 'x'", "\\", "ends in \\", "_a_ __b__ *c*", "a | b\n--|--", "~~a~~", "$x$",
)  # fmt: skip
INPUTS = "softmax(scores (2, 2) float32) seed 7"
MARKUP = {"html_block", "html_inline", "link_open", "image", "hr", "em_open", "code_block"}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """Of a page."""
    return str(request.param)


def of(*work: ExerciseVerdict, student: str = "ada", **more) -> SubmissionVerdict:
    marks = tuple(Mark(1.0 if exercise.state is State.PASSED else 0.5, 1.0) for exercise in work)
    return SubmissionVerdict(student, work, marks, **more)


def page(verdict: SubmissionVerdict, form: str, *, exam: bool = False) -> str:
    """All that there is to read, in one line, without marks of HTML or Markdown."""
    text = feedback.text(feedback.content_of(verdict, exam=exam), form)
    pieces = PageReader(text).texts if form == "html" else [leaf.content for leaf in leaves(text)]
    return one_line(("" if form == "html" else " ").join(pieces))


def leaves(text: str) -> Iterator[Token]:
    """All that CommonMark makes of it."""
    for token in MarkdownIt("commonmark").parse(text):
        yield from token.children if token.children else [token]


def one_line(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def wrong(function: str) -> ExerciseVerdict:
    """A claim about this function does not hold."""
    message = Message("A claim.", f"{function}(mask (2, 2) bool)", "shape (2, 3)")
    return ExerciseVerdict(SLUG, (ClaimVerdict("test_something", State.FAILED, message),))


def hints_in(text: str) -> list[str]:
    return [hint for hint in HINTS if hint in text]


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("grades")
    write_only(odd.odd_class(COUNT, SLUGS), folder, ["feedback"])
    return folder


@pytest.fixture(scope="module")
def whole_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages about every exercise."""
    folder = tmp_path_factory.mktemp("course")
    write_only(odd.odd_class(FEW), folder, ["feedback"])
    return folder


def read(grades: Path, student: str) -> str:
    """Both files of one student."""
    paths = (grades / "feedback" / f"{stem(student)}.{form}" for form in FORMS)
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def raising() -> ExerciseVerdict:
    """It is never imported."""
    first, *others = odd.crashed(SLUG, "ada").claims
    raised = Message(f"{SLUG}.py raises when it is imported", evidence="NameError: torhc")
    claims = (
        replace(first, state=State.ERROR, message=raised),
        *(replace(claim, state=State.BLOCKED, message=Message("not loaded")) for claim in others),
    )
    return ExerciseVerdict(SLUG, claims)


HALF = odd.half_written(SLUG)
TAMPERING = ["ex05: the code tried what no exercise asks for"]
EVIDENCE = [odd.mark_of("ada"), "os.system", odd.FOUND]
UNJUDGED = "This file could not be judged, so none of its claims could hold:"
PROBLEM = "the archive is damaged: <b>*x*"
NOTE = "not read: <b>[a](b).zip"
OBEYED = replace(odd.unexplained(SLUG, "ada"), printed="\x1b[31mred\x1b[0m\u202eline")
HINTS = [one_line(text) for texts in exercises()[SLUG].hints.values() for text in texts]
PAGES = {
    "all right": (
        of(odd.passed(SLUG)),
        ["1 of 1 point", "Every claim of every exercise holds."],
        ["1 points", "Where to look", "Next"],
    ),
    "tampered": (of(odd.tampered(SLUG, "ada")), TAMPERING, [*EVIDENCE, *HINTS]),
    "forged": (of(odd.forged(SLUG, "ada")), TAMPERING, [*EVIDENCE, *HINTS]),
    "no Python": (
        of(odd.not_python(SLUG, "ada")),
        [f"{SLUG}.py is not Python: invalid syntax in line 3: {odd.mark_of('ada')} <i>", UNJUDGED],
        HINTS,
    ),
    "raises": (of(raising()), [UNJUDGED, f"{SLUG}.py raises when it is imported"], ["first claim"]),
    "not begun": (
        of(odd.not_handed_in("ex01_softmax"), odd.not_started(SLUG)),
        ["Nothing that is written was handed in yet.", "not handed in", "not started",
         "begin with ex01, Softmax, in ex01_softmax.py"],
        ["Where to look"],
    ),
    "half": (of(HALF), [f"{HALF.held} of {len(HALF.judged)} claims, ", "not written yet"], ["✗"]),
    "not gradable": (
        SubmissionVerdict("ada", problem=PROBLEM),
        ["could not be graded", PROBLEM, "What to do", "kata submit"],
        ["points"],
    ),
    "stand-in": (of(odd.unexplained(SLUG, "a")), ["the reference stood in for ex01_softmax"], []),
    "frames": (of(odd.crashed(SLUG, "ada")), ['line 9, in softmax return "]]>" + 1'], []),
    "note": (of(odd.passed(SLUG), notes=(NOTE,)), [NOTE], []),
    "obeyed": (
        of(OBEYED, student="\x1b]0;title\x07ada\u2066"),
        ["red\ufffdline", "Feedback for ada\ufffd"],
        ["title"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PAGES)
def test_what_a_page_says_and_what_it_does_not(case: str, form: str) -> None:
    verdict, present, absent = PAGES[case]
    text = page(verdict, form)

    assert [part for part in present if part not in text] == []
    assert [part for part in absent if part in text] == []


def test_what_holds_comes_before_what_does_not_and_what_was_begun_before_what_was_not(
    form: str,
) -> None:
    text = page(of(odd.passed("ex01_softmax"), odd.diagnosed(SLUG, "ada")), form)
    assert text.index("1 of 2 exercises is done: Softmax.") < text.index("Next") < len(text)
    assert text.index("Next") < text.index("The board") < text.index("Where to look")

    text = page(of(odd.not_started("ex01_softmax"), odd.unexplained(SLUG, "ada")), form)
    assert SLUG in text.partition("Next")[2].partition("The board")[0]


@pytest.mark.parametrize("kind", [odd.diagnosed, odd.unexplained, odd.twice_wrong, odd.crashed])
def test_the_first_claim_that_fails_is_told_in_full(kind, form: str) -> None:
    verdict = kind(SLUG, "ada")
    text = page(of(verdict), form)
    first, second = [claim.message for claim in verdict.claims if not claim.held][:2]

    for part in (one_line(first.claim), INPUTS, f"expected 0.5, got {odd.mark_of('ada')}"):
        assert part in text
    assert one_line(second.claim) not in text


@pytest.mark.parametrize("kind", [odd.diagnosed, odd.twice_wrong])
def test_all_mistakes_are_named_and_only_the_first_hint_about_them_is_given(
    kind, form: str
) -> None:
    verdict = kind(SLUG, "ada")
    first, *others = [text for mistake in verdict.mistakes for text in mistake.hints]
    text = page(of(verdict), form)

    for mistake in verdict.mistakes:
        for part in (mistake.title, mistake.symptom, mistake.why):
            assert one_line(part) in text
    if len(verdict.mistakes) == 1:
        title = one_line(verdict.mistakes[0].title)
        assert f"by which {verdict.diagnosis.failing} of 7 claims fail: {title}" in text
    assert one_line(first) in text
    assert [hint for hint in others if one_line(hint) in text] == []
    assert hints_in(text) == []


@pytest.mark.parametrize(("function", "about"), [
    ("causal_mask", "causal_mask"),
    ("padding_mask", "padding_mask"),
    ("masked_attention", "masked_attention"),
    ("my_padding_mask", "causal_mask"),  # a name of which another one is a part
])  # fmt: skip
def test_where_no_mistake_is_known_there_is_one_hint_about_the_function(
    function: str, about: str, form: str
) -> None:
    text = page(of(wrong(function)), form)

    assert hints_in(text) == [one_line(exercises()[SLUG].hints_about(about)[0])]


@pytest.mark.parametrize("kind", [odd.diagnosed, odd.unexplained, odd.crashed])
def test_after_an_exam_there_are_no_causes_and_no_hints(kind, form: str) -> None:
    verdict = replace(kind(SLUG, "ada"), diagnosis=None)
    failed = verdict.first_failure
    caused = replace(failed, message=replace(failed.message, cause="It was this."))
    claims = tuple(caused if claim is failed else claim for claim in verdict.claims)
    work = of(replace(verdict, claims=claims))
    text = page(work, form, exam=True)

    assert "It was this." in page(work, form)
    for part in ("It was this.", "Likely cause", "hint", "Hint"):
        assert part not in text
    assert INPUTS in text
    assert hints_in(text) == []


@pytest.mark.parametrize("diagnosed", [True, False])
def test_of_a_class_that_is_not_diagnosed_nobody_gets_a_hint(
    diagnosed: bool, tmp_path: Path
) -> None:
    work = of(odd.unexplained(SLUG, "ada"))
    verdicts = ClassVerdict(lambda: iter([work]), {SLUG: 1.0}, diagnosed=diagnosed)

    write_only(verdicts, tmp_path, ["feedback"])

    text = (tmp_path / "feedback" / "ada.md").read_text(encoding="utf-8")
    assert bool(hints_in(text)) == diagnosed
    # Nor is a claim named after an exam that was never checked.
    (exercise,) = sealed(of(raising())).exercises
    assert exercise.claims[0].message == Message(f"{SLUG}.py raises when it is imported")


def test_what_the_code_printed_is_shown_and_cut(form: str) -> None:
    verdict = replace(odd.unexplained(SLUG, "ada"), printed="begin " + "z" * 5000)
    text = page(of(verdict), form)

    assert "begin zzz" in text
    assert 900 < text.count("z") < 1100


def test_nothing_of_the_solutions_is_told(whole_course: Path) -> None:
    texts = [[path.read_text(encoding="utf-8") for path in (exercise.solution, exercise.stub)]
             for exercise in exercises().values()]  # fmt: skip
    secret = {line.strip() for solution, stub in texts for line in solution.splitlines()
              if len(line.strip()) > 20 and line not in stub}  # fmt: skip
    text = "".join(read(whole_course, name) for name in odd.names(FEW))

    assert len(secret) > 100
    assert [line for line in secret if line in text] == []


def test_each_page_is_written_before_the_next_verdict_is_read_and_older_ones_stay(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "feedback"
    write_only(ClassVerdict(lambda: iter([of(student="left")]), {}), tmp_path, ["feedback"])

    def one_by_one() -> Iterator[SubmissionVerdict]:
        yield of(odd.diagnosed(SLUG, "ada"), student="ada")
        assert (folder / "ada.html").exists()
        yield of(odd.passed(SLUG), student="ben")

    write_only(ClassVerdict(one_by_one, {SLUG: 1.0}), tmp_path, ["feedback"])

    assert {path.stem for path in folder.iterdir()} == {"left", "ada", "ben"}


@pytest.fixture(scope="module")
def readers(grades: Path) -> list[PageReader]:
    """What is in everybody's page."""
    paths = (grades / "feedback" / f"{stem(name)}.html" for name in odd.names(COUNT))
    return [PageReader(path.read_text(encoding="utf-8")) for path in paths]


def test_a_page_has_headings_in_order_no_script_no_link_to_elsewhere_and_nothing_to_load(
    readers: list[PageReader],
) -> None:
    for reader in readers:
        attributes = [pair for _, pairs in reader.tags for pair in pairs.items()]
        assert reader.open == []
        assert {tag for tag, _ in reader.tags} & {"script", "iframe", "img", "link"} == set()
        assert [key for key, _ in attributes if key.startswith("on") or key == "src"] == []
        assert all(value.startswith("#ex") for key, value in attributes if key == "href")
        assert dict(reader.tags[3][1])["content"].startswith("default-src 'none'; style-src")

        levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch(r"h\d", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_markdown_of_hostile_texts_is_no_markup(grades: Path) -> None:
    for name in odd.names(COUNT):
        text = (grades / "feedback" / f"{stem(name)}.md").read_text(encoding="utf-8")
        tokens = {leaf.type for leaf in leaves(text)}
        assert tokens & MARKUP == set()
        titles = [line for line in text.splitlines() if line.startswith("# ")]
        assert len(titles) == 1


def test_escaped_text_reads_as_it_is_and_an_address_is_no_link() -> None:
    assert str(escaped("https://e.vil www.e.vil")) == "https\\://e.vil www\\.e.vil"
    for hostile, before in product(HOSTILE, ("", "Why: ", "- ")):
        text = "".join(leaf.content for leaf in leaves(f"{before}{escaped(hostile)}"))
        assert text == " ".join(f"{before.removeprefix('- ')}{clean(hostile)}".split())


def test_code_between_backticks_is_the_only_markup_and_no_text_ends_its_fence() -> None:
    harmless = {"paragraph_open", "paragraph_close", "text", "code_inline", "text_special"}
    for hostile in HOSTILE:
        types = {leaf.type for leaf in leaves(str(inline(f"see {hostile}")))}
        assert types <= harmless, hostile
        (block,) = MarkdownIt("commonmark").parse(str(fenced(f"{hostile}\n```\n````` x")))
        assert (block.type, block.content) == ("fence", f"{clean(hostile)}\n```\n````` x\n")

    tokens = list(leaves(str(inline("call `a_b(*c)` first, *then* `d`"))))
    assert [leaf.content for leaf in tokens if leaf.type == "code_inline"] == ["a_b(*c)", "d"]
    assert "".join(leaf.content for leaf in tokens) == "call a_b(*c) first, *then* d"


def test_a_map_marks_what_is_wrong_and_says_what_part_of_an_array_it_shows() -> None:
    part = Picture([[0.5]], [[-0.5]], [[True]], "", 4, 1, shape=[9, 9], worst=[0, 0])
    assert "(rows 4 to 4 of 9, columns 1 to 1 of 9)" in maps_of(part)
    nan = float("nan")
    text = maps_of(Picture([[1.0, 0.0]], [[nan, 0.0]], [[True, False]], "2", 4, 1, worst=[0, 0]))

    assert re.findall(r"<text x='\d+' y='\d+'>([^<]*)<", text) == ["1", "0", "nan", "0"]
    assert "aria-label='got, at 2, row by row: nan 0'" in text.replace('"', "'")
    assert text.count("<svg") == 2
    assert text.count("<path class='wrong'") == 2  # an edge, and one more for the worst


def maps_of(picture: Picture) -> str:
    failed = ClaimVerdict("test_it", State.FAILED, Message("A claim.", "f()", "no", "", picture))
    return feedback.text(feedback.content_of(of(ExerciseVerdict(SLUG, (failed,)))), "html")
