"""Changed marks, sections, missing students, exams and uploads, as the reports show them."""

import io
import json
import re
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, Missing, SubmissionVerdict
from kata.grading.reports import feedback, formats, uploads
from kata.grading.reports.gradebooks import grade
from kata.marks import Adjustment, Mark
from kata.verdict import Diagnosis, Fit, Message, Mistake
from tests.helpers import odd_class as odd
from tests.helpers.documented import complaints
from tests.helpers.later import nbformat
from tests.helpers.page_reader import counted, render

SLUG = "ex05_causal_masks"
FORMS = ("html", "md")
SCHEMA = Path(formats.__file__).parent / "schemas" / "results.json"
LATE = Adjustment("late", 9, 8, cause="handed in late")
SEEN = Adjustment("overruled", 3, 2.5, SLUG, "overruled", "see <me>", "a private reason")
NOTED = Adjustment("overruled", 8, 8, comment="well done")


def changed(student: str = "ada", *changes: Adjustment, **more: object) -> SubmissionVerdict:
    right = odd.passed(SLUG)
    changes = changes or (SEEN, LATE, NOTED)
    return SubmissionVerdict(student, (right,), (Mark(9.0, 10.0),), adjustments=changes, **more)  # type: ignore[arg-type]  # as written


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """Of a page."""
    return str(request.param)


def of(*students: SubmissionVerdict, **more: object) -> ClassVerdict:
    return ClassVerdict(lambda: iter(students), {SLUG: 10.0}, **more)  # type: ignore[arg-type]  # as written


def page_of(verdict: SubmissionVerdict, form: str, **more: object) -> str:
    return feedback.text(feedback.page(verdict, of(verdict, **more)), form)


def test_a_student_reads_what_was_changed_and_the_comment_but_no_reason(form: str) -> None:
    text = page_of(replace(changed(), by_hand=True), form).replace("\\", "")

    assert "ex05: from 3 to 2.5 points, overruled; comment: see" in text
    assert "score: from 9 to 8 points, handed in late" in text
    assert "comment: well done" in text
    assert "private" not in text
    assert form == "md" or "<me>" not in text
    assert "It was not graded by claims. Your instructor has looked at it." in text


def test_the_gradebook_gets_score_and_comment_but_no_reason() -> None:
    entry = grade(changed())

    assert entry.score == 8
    assert "comment: see <me>" in entry.feedback
    assert "private" not in entry.feedback


def test_the_report_shows_changes_sections_and_who_is_missing() -> None:
    missing = (Missing("zoe <b>", section="North"),)
    people = changed("ada", section="North"), changed("ben", NOTED, section="<South>")
    verdicts = of(*people, sections=("<South>", "North"), missing=missing, adjusted=True)
    text = render(verdicts)

    assert '8<small class="earned"> was 9.5</small>' in text
    assert "reason: a private reason" in text
    assert "zoe &lt;b&gt;" in text
    assert "<South>" not in text
    rows = re.findall(r'<bdi>([^<]+)</bdi></th><td class="figure">(\d)</td><td class="figure">(\d)',
                      text)  # fmt: skip
    assert rows == [("&lt;South&gt;", "1", "0"), ("North", "2", "1")]
    assert '<option value="changes">' in text


def test_the_report_of_a_class_without_any_of_it_does_not_speak_of_it() -> None:
    text = render(of(replace(changed(), adjustments=())))
    for word in ("sections-title", "missing-title", 'value="changes"', "> was "):
        assert word not in text

    # What to repeat is counted from the marks before.
    wrong = replace(changed("ada", Adjustment("overruled", 9, 0, SLUG)), marks=(Mark(0.0, 10.0),))
    assert "1 point lost" in render(of(wrong)).replace("\n", " ")


def test_results_with_changes_fit_their_schema(tmp_path: Path) -> None:
    verdicts = of(changed("ada", section="North", team="Rocket"), missing=(Missing("zoe"),))
    formats.write_tables(tmp_path, verdicts, {"seed": 1, "exercises": [SLUG]})
    data = json.loads((tmp_path / "results.json").read_bytes())

    assert complaints(SCHEMA, data) == []
    assert data["missing"] == [{"student": "zoe", "id": "", "section": "", "team": ""}]
    (ada,) = data["submissions"]
    assert (ada["earned"], ada["score"], ada["section"], ada["team"]) == (9.5, 8, "North", "Rocket")
    assert [change["before"] for change in ada["adjustments"]] == [3, 9, 8]


# Exams

SECRETS = ("SECRET", "seed 7", "expected")


def failing(*, whole: bool = False) -> SubmissionVerdict:
    """Work of which every text says something that an exam may not."""
    broken = odd.crashed(SLUG, "SECRET") if not whole else odd.not_python(SLUG, "ada")
    message = Message(
        "A SECRET claim.", "f(SECRET) seed 7", "expected 1", "SECRET", frames=["SECRET"]
    )
    claims = tuple(replace(claim, message=message) for claim in broken.claims)
    named = Diagnosis(Fit.ONE, (Mistake("s", "SECRET", "SECRET", "SECRET", ("SECRET",)),))
    exercise = (
        broken if whole else replace(broken, claims=claims, diagnosis=named, printed="SECRET")
    )
    return SubmissionVerdict("ada", (exercise,), (Mark(1.0, 10.0),))


def test_after_an_exam_a_page_has_points_and_the_name_of_a_claim(form: str) -> None:
    verdict = failing()
    open_text = page_of(verdict, form)
    text = page_of(verdict, form, sealed=True, diagnosed=False)
    first = verdict.exercises[0].first_failure

    assert all(word in open_text for word in SECRETS)
    assert not [word for word in (*SECRETS, "pytest exercises", "kata hint") if word in text]
    assert first
    assert first.in_words.partition("[")[0] in text.replace("\\", "")
    assert "of 10" in text
    # Why a file cannot be read is still said.
    assert "is not Python" in page_of(failing(whole=True), form, sealed=True)


def test_after_an_exam_nothing_of_any_odd_verdict_is_told(tmp_path: Path) -> None:
    verdicts = odd.odd_class(45, (SLUG,))
    formats.write_only(replace(verdicts, sealed=True, diagnosed=False), tmp_path, ("feedback",))
    texts = {path.name: path.read_text() for path in (tmp_path / "feedback").iterdir()}
    claims = [claim for verdict in verdicts.submissions() for exercise in verdict.exercises
              if not exercise.is_whole for claim in exercise.claims]  # fmt: skip
    messages = [claim.message for claim in claims if claim.message]
    evidence = {message.evidence.partition("\n")[0] for message in messages}

    assert messages
    assert not [name for name, text in texts.items()
                if any(len(line) > 8 and line in text for line in evidence)]  # fmt: skip


# Uploads


def submission(student: str, name: str) -> SubmissionVerdict:
    return SubmissionVerdict(student, (odd.passed(SLUG),), (Mark(9.0, 10.0),), upload=name)


def handed_in(*names: str) -> ClassVerdict:
    return of(*(submission(f"student {number}", name) for number, name in enumerate(names)))


def uploaded(folder: Path, verdicts: ClassVerdict, platform: str = "canvas") -> dict[str, bytes]:
    """What is in the zip for a platform."""
    formats.write_only(verdicts, folder, (f"upload-{platform}",))
    with zipfile.ZipFile(folder / f"upload-{platform}.zip") as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


CANVAS = ("doejane_101_9001_ex05_causal_masks.py", "roejoe_LATE_102_9002_hand-in.zip",
          "poeann_103_9003_work.ipynb", "moebob_104_9004_work.tar.gz",
          "anon_Ab1_9005_x.py")  # fmt: skip


def test_canvas_gets_files_with_the_names_that_it_gave_out_and_in_their_form(
    tmp_path: Path,
) -> None:
    """As its own importer looks for them: the first two parts that are numbers."""
    files = uploaded(tmp_path, handed_in(*CANVAS, "plain"))
    python, archive, notebook, tar, _ = files.values()

    assert tuple(files) == CANVAS
    numbers = [[part for part in name.split("_") if part.isdecimal()][:2] for name in files]
    assert numbers[:4] == [["101", "9001"], ["102", "9002"], ["103", "9003"], ["104", "9004"]]
    compile(python, "feedback.py", "exec")
    assert b"# # Feedback for student 0" in python
    with zipfile.ZipFile(io.BytesIO(archive)) as inner:
        assert inner.namelist() == ["feedback.html"]
        assert b"Feedback for student 1" in inner.read("feedback.html")
    read = nbformat.reads(notebook.decode(), as_version=4)
    nbformat.validate(read)
    assert "Feedback for student 2" in read.cells[0].source
    with tarfile.open(fileobj=io.BytesIO(tar)) as whole:
        assert whole.getnames() == ["feedback.html"]


def test_no_page_is_a_damaged_file_for_the_student(tmp_path: Path) -> None:
    names = ("doejane_101_9001_homework.pdf", "roejoe_102_9002_homework.rar", "plain")
    everybody = handed_in(*names)

    assert uploaded(tmp_path, everybody) == {}
    unnamed, unfit, _ = uploads.summary(counted(everybody), tmp_path, ["canvas"])
    assert unnamed == "not named by Canvas, so without feedback to upload, 1: student 2"
    assert unfit == (
        "handed in under a name that Canvas would show as a damaged file, such as homework.pdf, so "
        "without feedback to upload, 2: student 0, student 1; --report feedback writes their pages"
    )


def test_comments_of_a_python_file_have_no_backslashes_of_markdown(tmp_path: Path) -> None:
    change = Adjustment("overruled", 9, 9, comment="Well done! [a] 3 * 4 > 2 in `x\\n`")
    person = replace(submission("student", CANVAS[0]), adjustments=(change,))

    (page,) = uploaded(tmp_path, of(person)).values()

    assert b"comment: Well done! [a] 3 * 4 > 2 in" in page
    assert b"\\!" not in page


MOODLE = ("Jane Doe_101_assignsubmission_file_", "Joe_Roe_102_assignsubmission_file_x.py")


def test_moodle_gets_a_folder_for_each_student(tmp_path: Path) -> None:
    """As its own importer splits the path: at the first four underscores."""
    verdicts = handed_in(*MOODLE, "plain")
    files = uploaded(tmp_path, verdicts, "moodle")

    assert b"Feedback for student 0" in next(iter(files.values()))
    assert [path.split("/")[0].split("_", 4)[1:4] for path in files] == [
        [number, "assignsubmission", "file"] for number in ("101", "102")
    ]
    assert {path.split("/")[1] for path in files} == {"feedback.html"}
    assert [*uploads.summary(counted(verdicts), tmp_path, ["moodle", "moodle"])] == [
        "not named by Moodle, so without feedback to upload, 1: student 2",
        f"feedback for 2 is in {tmp_path / 'upload-moodle.zip'}, ready to upload",
    ]


def test_a_zip_is_the_same_every_time_and_is_kept_up_to_date(tmp_path: Path) -> None:
    path, verdicts = tmp_path / "upload-canvas.zip", handed_in(*CANVAS)
    uploaded(tmp_path, verdicts)
    first = path.read_bytes()
    uploaded(tmp_path, verdicts)
    again = path.read_bytes()
    one = handed_in(CANVAS[0])
    formats.write(one, counted(one), tmp_path, ())

    assert first == again
    assert path.read_bytes() != first
    assert not (tmp_path / "feedback").exists()


def test_a_group_gets_one_page_and_whoever_could_not_be_graded_reads_why(tmp_path: Path) -> None:
    lost = SubmissionVerdict("cleo", problem="the archive is damaged", upload=CANVAS[4])
    group = (submission(name, CANVAS[0]) for name in ("ada", "ben"))

    files = uploaded(tmp_path, of(*group, lost))

    assert [*files] == [CANVAS[0], CANVAS[4]]
    assert b"the archive is damaged" in files[CANVAS[4]]
