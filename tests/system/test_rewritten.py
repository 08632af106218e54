"""Mistakes that other people re-implemented are named; and what is said in runs with workers."""

from pathlib import Path

from kata.course.curriculum import exercises
from tests.helpers.learner_folder import run_python
from tests.helpers.proofs import SHAPES, SLUG
from tests.helpers.rewritten import EXCEPTIONS, FILES, named_otherwise
from tests.helpers.sampling import release, sample


def test_mistakes_in_another_style_are_named() -> None:
    found = {str(path): named_otherwise(path) for path in sample(FILES, one_in=8)}

    assert {path: told for path, told in found.items() if told} == {}


def test_nine_in_ten_are_named_and_no_name_is_wrong() -> None:
    missed = [each for file, each in EXCEPTIONS.items() if Path(file).stem not in each["named"]]

    assert len(FILES) >= 40
    assert len(FILES) - len(missed) >= 0.9 * len(FILES)
    assert [each["file"] for each in missed if each["named"]] == [  # siblings
        "ex02_attention_scores/grids-remembered-by-queries.py",
        "ex05_causal_masks/padding-lengths-decremented.py",  # what is named is true
        "ex14_encoder_layer/queries-dropped-too.py",
    ]


@release
def test_workers_tell_the_summary_of_a_proof(tmp_path: Path) -> None:
    exercise = exercises()[SLUG]
    for name, text in (
        ("exercises", exercise.stub.read_text(encoding="utf-8")),
        ("proofs", SHAPES),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / exercise.filename).write_text(text, encoding="utf-8")

    done = run_python("pytest", ("proofs", "-n", "1"), tmp_path, COLUMNS="100")

    assert done.status == 0
    assert done.out.count(f"= proofs: proofs/{SLUG}.py =") == 1
