"""The pages for the instructor: what they count, escape, keep and leave out."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.course.catalogue import bugs
from kata.course.curriculum import exercises
from kata.grading import rubric
from kata.grading.alike import TwoWorks
from kata.grading.reports import class_page, counting, formats
from kata.grading.reports.class_page import FILE_ALIKE, rows, write_alike
from kata.grading.reports.counting import Count, Counts
from kata.grading.reports.wording import Remark
from kata.verdict import ClaimVerdict, Diagnosis, ExerciseVerdict, Fit, Message, Mistake, State
from tests.helpers.odd_class import NAMES, odd_class
from tests.helpers.page_reader import PageReader, render
from tests.helpers.page_reader import counted as counts_of

# What XML does not hold, and what turns the direction of lines.
ODD = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
                 "|[\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")  # fmt: skip

SOFTMAX = "ex01_softmax"
MASKS = "ex05_causal_masks"
HEADS = "ex09_multi_head_attention"
SIGNED, WHOLE = (Mistake(bug.slug, bug.title, bug.symptom, bug.why, bug.hints)
                 for bug in bugs(exercises()[SOFTMAX])[:2])  # fmt: skip


@pytest.fixture(autouse=True)
def equal_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claims here are of no suite: each is worth as much as any other."""
    for module in (counting, rubric):
        monkeypatch.setattr(module, "worth", lambda work, names: len([*names]) / len(work.judged))


def exercise(held: int, failed: int = 0, slug: str = SOFTMAX, **more: object) -> ExerciseVerdict:
    right = [ClaimVerdict(f"test_right_{at}", State.PASSED, seconds=0.5) for at in range(held)]
    message = Message("A row sums to one.", "softmax([1, 2])", "expected 0.5, got 2")
    wrong = [ClaimVerdict(f"test_wrong_{at}", State.FAILED, message) for at in range(failed)]
    return ExerciseVerdict(slug, (*right, *wrong), **more)  # type: ignore[arg-type]  # as written


def unbegun(slug: str = SOFTMAX) -> ExerciseVerdict:
    claim = ClaimVerdict("not started", State.NOT_STARTED, Message("not handed in"))
    return ExerciseVerdict(slug, (claim,))


def named(*mistakes: Mistake, fit: Fit = Fit.ONE, explains: Sequence[int] = (0,)) -> Diagnosis:
    """As a grader counts: these of the failing claims fail by the first mistake."""
    names = tuple(f"test_wrong_{at}" for at in explains)
    first, *others = mistakes
    return Diagnosis(fit, (replace(first, explains=names), *others), 3)


def handed_in(name: str, *work: ExerciseVerdict) -> SubmissionVerdict:
    return SubmissionVerdict(name, work, tuple(rubric.mark(verdict, 1.0) for verdict in work))


def counted_once(*submissions: SubmissionVerdict) -> Count:
    """Of a class in which one exercise counts."""
    (count,) = counted(*submissions).exercises.values()
    return count


def texts_of(*submissions: SubmissionVerdict) -> str:
    """What stands on the page of a class, in one line."""
    return " ".join(" ".join(PageReader(render(klass(*submissions))).texts).split())


def klass(*submissions: SubmissionVerdict, slugs: Sequence[str] = (SOFTMAX,)) -> ClassVerdict:
    return ClassVerdict(lambda: iter(submissions), dict.fromkeys(slugs, 1.0), 7)


def counted(*submissions: SubmissionVerdict, slugs: Sequence[str] = (SOFTMAX,)) -> Counts:
    return counts_of(klass(*submissions, slugs=slugs))


def data_of(text: str) -> dict[str, list[dict[str, object]]]:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(data)


@pytest.fixture(scope="module")
def odd() -> str:
    return render(odd_class(45, slugs=(SOFTMAX, MASKS)))


def test_a_name_is_text_and_nothing_else() -> None:
    names = ['<script>alert("x")</script>', '"><img src=x onerror=alert(1)>']
    reader = PageReader(render(klass(*(handed_in(name, exercise(1)) for name in names))))

    assert {*names} <= {*reader.texts}
    assert "img" not in {tag for tag, _ in reader.tags}


def test_the_page_runs_no_script_and_loads_nothing_but_its_own(odd: str) -> None:
    tags = PageReader(odd).tags
    names = [str(student["keys"][0]) for student in data_of(odd)["students"]]  # type: ignore[index]
    policy = next(attrs["content"] or "" for _, attrs in tags
                  if attrs.get("http-equiv") == "Content-Security-Policy")  # fmt: skip
    inline = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", odd, re.S)
    links = [value for _, attrs in tags for name, value in attrs.items()
             if name in {"src", "href", "xlink:href", "action", "srcset", "data"}]  # fmt: skip

    assert "<script>alert('x')</script>" in names
    assert len(names) == 45
    assert [tag for tag, _ in tags].count("script") == 3
    assert [name for _, attrs in tags for name in attrs if name.startswith("on")] == []
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert len(inline) == 3
    for text in inline:
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert links
    assert [link for link in links if not (link or "").startswith("#")] == []
    assert "url(" not in odd
    assert "@import" not in odd


def test_the_file_is_what_is_rendered_and_what_cannot_be_seen_is_marked(
    odd: str, tmp_path: Path
) -> None:
    verdicts = odd_class(len(NAMES), slugs=(SOFTMAX,))
    formats.write(verdicts, counts_of(verdicts), tmp_path, ())

    (path,) = tmp_path.iterdir()
    text = path.read_text(encoding="utf-8")
    assert (path.name, text) == ("report.html", render(verdicts))
    assert "caf\N{REPLACEMENT CHARACTER}" in text
    assert ODD.search(text) is None
    assert ODD.search(odd) is None


def test_what_a_terminal_would_obey_is_taken_out() -> None:
    printed = "\x1b[31mred\x1b[0m\u202eline"
    text = render(klass(handed_in("\x1b[1mAda", exercise(1, 1, printed=printed))))

    assert "<pre>red\N{REPLACEMENT CHARACTER}line</pre>" in text
    assert "<bdi>Ada</bdi>" in text


def test_of_an_exercise_all_is_right_or_something_wrong_or_nothing_begun() -> None:
    count = counted_once(
        handed_in("Ada", exercise(3)),
        handed_in("Ben", exercise(2, 1)),
        handed_in("Cleo", exercise(0, 3)),
        handed_in("Dan", unbegun()),
        SubmissionVerdict("Eve", problem="the archive is damaged"),
    )

    assert (count.right, count.wrong, count.unbegun) == (1, 2, 1)
    assert count.lost == pytest.approx(1 / 3 + 1, abs=1e-4)
    assert count.mean == pytest.approx((1 + 2 / 3) / 4, abs=1e-4)


def test_an_exercise_of_which_nothing_holds_is_not_partly_right_and_one_point_is_no_points() -> (
    None
):
    text = texts_of(handed_in("Ada", exercise(0, 3)))

    assert "all right something wrong not begun" in text
    assert "partly" not in text
    text = texts_of(handed_in("Ada", exercise(1, 29)))
    assert "Scores, of 1 point " in text
    assert "has something wrong; 1 point lost" in text


def test_what_cost_most_points_is_to_be_repeated_first() -> None:
    slugs = (SOFTMAX, MASKS)
    counts = counted(handed_in("Ada", exercise(1, 3), exercise(1, 1, MASKS)),
                     handed_in("Ben", exercise(1), exercise(0, 1, MASKS)), slugs=slugs)  # fmt: skip

    assert [count.exercise.slug for count in counts.to_repeat] == [MASKS, SOFTMAX]
    assert counted(handed_in("Ada", unbegun())).to_repeat == []


def test_a_mistake_knows_who_made_it_and_the_one_that_most_have_made_is_first() -> None:
    count = counted_once(
        handed_in("Ada", exercise(1, 3, diagnosis=named(SIGNED, explains=(0, 1, 2)))),
        handed_in("Ben", exercise(3, 1, diagnosis=named(WHOLE))),
        handed_in("Cleo", exercise(3, 1, diagnosis=named(WHOLE, fit=Fit.PART))),
    )

    assert [(hit.mistakes, hit.students, hit.lost) for hit in count.hits] == [
        ((WHOLE,), ["Ben", "Cleo"], 0.5),
        ((SIGNED,), ["Ada"], 0.75),
    ]


def test_each_mistake_of_one_work_costs_its_own_claims() -> None:
    first, second = named(SIGNED, explains=(0, 1)), named(WHOLE, explains=(2,))
    work = exercise(1, 4, diagnosis=first, further=(second,))
    count = counted_once(handed_in("Ada", work))

    assert [(hit.mistakes, hit.lost) for hit in count.hits] == [
        ((SIGNED,), pytest.approx(0.4)),
        ((WHOLE,), pytest.approx(0.2)),
    ]
    assert count.misses == [("A row sums to one.", 1)]


def test_what_is_no_python_costs_no_exercise_its_place() -> None:
    broken = ClaimVerdict("error", State.ERROR, Message("it is not Python"))
    work = handed_in("Ada", exercise(1, 1)), handed_in("Cleo", ExerciseVerdict(SOFTMAX, (broken,)))
    (count,) = counted(*work).to_repeat

    assert (count.wrong, count.unread, count.lost) == (2, 1, 0.5)
    assert "0.5 points lost, without 1 file that is no Python" in texts_of(*work)


def test_students_with_the_same_unknown_mistake_are_a_group_with_its_evidence() -> None:
    (group,) = counted_once(handed_in("Ada", exercise(1, 2)), handed_in("Ben", exercise(1, 1)),
                            handed_in("Cleo", exercise(1, 2))).groups  # fmt: skip

    assert (group.students, group.claims) == (["Ada", "Cleo"], 2)
    assert group.lost == pytest.approx(4 / 3)
    assert group.evidence == "softmax([1, 2])\nexpected 0.5, got 2"
    late = ClaimVerdict("timed out", State.TIMED_OUT, Message("it took too long"))
    work = ExerciseVerdict(SOFTMAX, (late,))  # of which no claim was made
    assert counted_once(handed_in("Ada", work), handed_in("Ben", work)).groups == []


ABSENT = "ex01_softmax.py has no `softmax`; did you mean `sofmax`?"


def test_a_group_says_the_claim_that_fails_first_or_that_its_function_is_not_there() -> None:
    for evidence, leads, sentence in (
        (ABSENT, True, ABSENT), ("expected 1, got 2", False, "A row sums to one."),
    ):  # fmt: skip
        message = Message("A row sums to one.", evidence=evidence, leads=leads)
        work = ExerciseVerdict(SOFTMAX, (ClaimVerdict("test_rows", State.FAILED, message),))
        (group,) = counted_once(handed_in("Ada", work), handed_in("Ben", work)).groups

        assert (group.absent, group.title) == (leads, sentence)


def test_what_was_in_the_way_is_nothing_to_repeat() -> None:
    absent = Mistake("package-not-installed", "a package that is not installed")
    counts = counted(handed_in("Ada", exercise(1, 1, diagnosis=named(absent))))

    assert counts.repeated == []
    assert [hit.title for hit in counts.exercises[SOFTMAX].hits] == [absent.title]


def test_every_way_to_explain_has_a_heading_and_two_at_once_are_two() -> None:
    for fit in Fit:
        assert SIGNED.title in texts_of(
            handed_in("Ada", exercise(1, 1, diagnosis=named(SIGNED, fit=fit)))
        )

    both, twins = (
        counted_once(handed_in("Ada", exercise(1, 1, diagnosis=named(SIGNED, WHOLE, fit=fit))))
        for fit in (Fit.BOTH, Fit.TWINS)
    )
    assert {hit.mistakes for hit in both.hits} == {(SIGNED,), (WHOLE,)}
    assert [hit.mistakes for hit in twins.hits] == [(SIGNED, WHOLE)]


def test_only_claims_without_a_known_mistake_are_a_riddle() -> None:
    count = counted_once(handed_in("Ada", exercise(1, 1, diagnosis=named(SIGNED))),
                         handed_in("Ben", exercise(1, 2)),
                         handed_in("Cleo", exercise(1, 1)))  # fmt: skip

    assert [times for _, times in count.misses] == [2, 1]


def test_what_is_said_in_class_stands_in_the_catalogue() -> None:
    texts = texts_of(handed_in("Ada", exercise(1, 1, diagnosis=named(SIGNED))))

    for text in (SIGNED.title, SIGNED.symptom, SIGNED.why, SIGNED.hints[0]):
        assert text.replace("`", "") in texts
    assert SIGNED.hints[2] not in texts
    # Where nothing was diagnosed, nothing is said to be unknown.
    verdicts = klass(handed_in("Ada", exercise(1, 1)))
    assert "no known mistake" in render(verdicts)
    assert "no known mistake" not in render(replace(verdicts, diagnosed=False))


def test_flags_say_who_and_where_and_what() -> None:
    counts = counted(
        handed_in("Ada", exercise(1, flags=("like Ben's",)), exercise(1, 0, MASKS,
                                                                     flags=("like Ben's",))),
        handed_in("Ben", exercise(1, tampering=("os.system",))),
        SubmissionVerdict("Cleo", problem="damaged"),
        slugs=(SOFTMAX, MASKS),
    )  # fmt: skip

    assert counts.remarks("flagged") == [("Ada", Remark("ex01, ex05", "like Ben's"))]
    assert counts.remarks("tampering") == [("Ben", Remark("ex01", "tried os.system"))]
    assert counts.lost == [("Cleo", Remark("", "damaged"))]


@pytest.mark.parametrize(("scores", "most", "edges", "counts"), [
    ([0, 0.9, 1, 9.99, 10], 10, [*range(11)], [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]),
    ([0, 6.9, 7, 60.5, 61], 61, [*range(0, 61, 7), 61], [2, 1, 0, 0, 0, 0, 0, 0, 2]),
    ([1], 2, [0, 1, 2], [0, 1]),
    ([0, 0], 0, [0, 0], [2]),
])  # fmt: skip
def test_scores_fall_into_bars_of_whole_points_and_full_marks_into_the_last(
    scores: list[float], most: float, edges: list[float], counts: list[int]
) -> None:
    bars = class_page.histogram(scores, most)

    lows, highs, heights = zip(*bars, strict=True)
    assert [*lows, highs[-1]] == edges
    assert [*heights] == counts


def test_the_map_begins_with_the_best_and_leaves_out_what_was_not_begun() -> None:
    counts = counted(handed_in("Ada", unbegun()), handed_in("Ben", exercise(1, 3)),
                     handed_in("Cleo", exercise(2)))  # fmt: skip

    bands = class_page.bands(counts.students)

    assert [(band.title, [*band.shades]) for band in bands] == [
        ("Cleo", [4]), ("Ben", [1]), ("Ada", []),
    ]  # fmt: skip
    assert [class_page.shade(share) for share in (0, 0.2, 0.25, 0.99, 1)] == [0, 0, 1, 3, 4]


def test_tenths_of_a_class_are_means() -> None:
    counts = counted(*(handed_in(f"{at:02}", exercise(at, 20 - at)) for at in range(20)))

    shares = [band.shares[0] for band in class_page.tenths(counts.students)]

    assert len(shares) == 10
    assert shares[0] == pytest.approx((19 + 18) / 2 / 20)
    assert shares[-1] == pytest.approx((0 + 1) / 2 / 20)


def test_a_small_class_is_a_table_and_a_large_one_data_from_which_each_row_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdicts = odd_class(12, slugs=(SOFTMAX,))
    small = render(verdicts)
    monkeypatch.setattr(class_page, "LARGE", 11)
    large = render(verdicts)

    data = data_of(large)
    rows = ["\n".join(str(data["lines"][at]) for at in row["row"]) for row in data["students"]]  # type: ignore[attr-defined]
    assert small.count('class="student"') == 12
    assert data_of(small)["lines"] == []
    assert 'class="student"' not in large.split('id="data"')[0]
    assert len(rows) == 12
    assert all(row in small for row in rows)


def test_of_a_large_class_some_of_those_with_a_mistake_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(class_page, "LARGE", 11)
    monkeypatch.setattr(class_page, "NAMED", 1)

    lists = re.findall(r'<p class="names">(.*?)</p>', render(odd_class(45, slugs=(SOFTMAX,))))

    assert {names.count("<bdi>") for names in lists} == {1}
    assert any(re.search(r"</bdi> and \d+ more$", names) for names in lists)
    assert any(re.search(r"</bdi> and \d+ more: find them in", names) for names in lists)


@pytest.mark.parametrize("submissions", [(), (SubmissionVerdict("Ada", problem="damaged"),)])
def test_a_class_in_which_nobody_was_graded_has_a_page(
    submissions: tuple[SubmissionVerdict, ...],
) -> None:
    assert "Nobody was graded." in render(klass(*submissions))


def test_code_in_a_sentence_is_code_and_much_that_was_printed_is_cut() -> None:
    work = exercise(1, 1, left_over=("`a < b` & c",), printed="p" * 5000)
    text = render(klass(handed_in("Ada", work)))

    assert '<p class="flag"><code>a &lt; b</code> &amp; c</p>' in text
    assert "p" * (class_page.LONGEST - 2) + " …" in text
    assert "p" * (class_page.LONGEST + 1) not in text


# Works side by side


def test_lines_that_differ_in_names_and_spaces_alone_stand_beside_each_other() -> None:
    left = "scores = q @ k\nextra = 1\nreturn scores  # done\n"
    right = "s = query@key\nreturn s\n"

    table = [(row.left, row.right, row.same) for row in rows(left, right)]

    assert table == [("scores = q @ k", "s = query@key", True), ("extra = 1", "", False),
                     ("return scores  # done", "return s", True)]  # fmt: skip


def test_a_keyword_is_no_name_a_number_counts_and_an_empty_line_is_not_marked() -> None:
    for left, right in (("if x:\n", "while x:\n"), ("y = 2\n", "y = 3\n"), ("\n", "\n")):
        assert [row.same for row in rows(left, right)] == [False]


def alike(folder: Path, files: Mapping[str, bytes], *pairs: TwoWorks) -> str:
    """The page; of each student, all files have the same text."""
    write_alike(pairs, lambda name: dict.fromkeys((HEADS, MASKS), files[name]), folder)
    return (folder / FILE_ALIKE).read_text(encoding="utf-8")


def test_a_page_has_both_works_and_says_how_often(tmp_path: Path) -> None:
    same = b"# mine\nimport os\n\n\ndef f(x):\n    # twice\n    return x * 2\n"
    text = alike(tmp_path, {"ann": same, "ben": same}, TwoWorks(30, 1.0, HEADS, "ann", "ben"))
    assert "100 % the same steps; 3 of 3 lines of code do the same" in text

    pairs = TwoWorks(30, 0.98, HEADS, "ann", "ben"), TwoWorks(20, 0.9, MASKS, "ann", "ben")
    text = alike(tmp_path, {"ann": b"x = 1\n", "ben": b"y = 1\n"}, *pairs)
    assert "98 % the same steps; alike in 2 exercises" in text
    assert text.count("<code>x = 1</code></td><td><code>y = 1</code>") == 2
    assert "1 of 1 lines of code do the same" in text

    write_alike(pairs, lambda _: {}, tmp_path)  # the works have changed since
    assert "0 of 0 lines" in (tmp_path / FILE_ALIKE).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_no_name_and_no_code_becomes_markup(tmp_path: Path, name: str) -> None:
    code = b"x = '<script>alert(1)</script>'\n"

    text = alike(tmp_path, {name: code}, TwoWorks(30, 1.0, HEADS, name, name))

    assert "<script" not in text
    assert "<img" not in text
