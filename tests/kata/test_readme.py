"""What README.md, CONTRIBUTING.md and the pages of docs/ say can be typed and is true."""

import re
import tomllib
from dataclasses import MISSING, fields

import pytest

from kata.__main__ import COMMANDS
from kata.course.catalogue import Bug
from kata.course.curriculum import ROOT, exercises
from kata.practice.loss import losses
from tests.helpers.learner_folder import FOLDER, Learner

TORCH = (
    "python3 -m venv .venv && .venv/bin/pip install --no-deps -c constraints.txt "
    "--extra-index-url https://download.pytorch.org/whl/cpu torch && "
)
LONGEST = {"README.md": (150, 1300), "CONTRIBUTING.md": (90, 1300)}  # lines and words
MOST_WORDS = 30  # of the glossary


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str) -> list[str]:
    return re.findall(r"^```\n(.*?)^```", page(name), re.DOTALL | re.MULTILINE)


def column(text: str, number: int) -> list[str]:
    """The cells of a column in the tables of a text."""
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row[number].strip() for row in rows if len(row) > number]


@pytest.mark.parametrize("name", LONGEST)
def test_a_page_for_newcomers_is_one_page(name: str) -> None:
    lines, words = LONGEST[name]

    assert len(page(name).splitlines()) <= lines
    assert len(page(name).split()) <= words


def test_two_lines_set_everything_up() -> None:
    lines = [line for line in page("README.md").splitlines() if line.startswith("python3 -m venv")]

    assert lines == [
        f"{TORCH}.venv/bin/pip install -e . && .venv/bin/pytest",
        f'{TORCH}.venv/bin/pip install -c constraints.txt -e ".[dev]" '
        "&& .venv/bin/pytest tests -n auto --dist worksteal",
    ]
    assert page("README.md").count("On Windows: `py -m venv .venv; ") == len(lines)


def test_both_pages_name_the_three_tiers() -> None:
    for name in LONGEST:
        named = set(re.findall(r"pytest (tests[/\w]*)[ `]", page(name)))
        assert {"tests", "tests/system", "tests/long"} <= named, name


def test_the_next_exercise_is_the_one_that_a_fresh_clone_shows(learner: Learner) -> None:
    line = next(block for block in blocks("README.md") if "next: ex01_softmax" in block)
    run = learner.run("exercises", "-p", "no:cacheprovider", cwd=ROOT)

    assert f"\n\n{line}" in run.board
    assert run.status == 1


def test_the_failure_is_the_one_that_the_program_shows(learner: Learner) -> None:
    message = next(block for block in blocks("README.md") if "worst at" in block)
    learner.softmax("return scores / scores.sum(axis, keepdims=True)")

    assert message in learner.run(COLUMNS="86").out


def test_every_command_is_in_a_table_and_there_is_no_other() -> None:
    tables = " ".join(column(page("docs/commands.md"), 1))

    assert set(re.findall(r"`kata (\w+)", tables)) | {"room", "join", "share", "leave"} == {
        *COMMANDS
    }
    for name in ("README.md", "CONTRIBUTING.md", "docs/commands.md"):
        typed = re.findall(r"`(?:python -m )?kata (\w+)", page(name))
        assert set(typed) <= {*COMMANDS}, name


def test_the_commands_for_learners_work(learner: Learner) -> None:
    learner.solve("ex01")
    text = page("README.md") + page("docs/reading-a-failure.md")
    commands = sorted(set(re.findall(r"^\| .* \| `pytest (.*)` \|$", text, re.MULTILINE)))
    assert len(commands) == 8

    for command in commands:
        mine = command.replace("exercises/ex05_causal_masks.py", f"{FOLDER}/ex01_softmax.py")
        mine = mine.replace("exercises", FOLDER).replace("path/to/folder", FOLDER)
        run = learner.run(*mine.replace("-k gradients", "-k weight").split())
        assert (run.status, run.count("passed") > 0) == (0, True), mine


def test_every_exercise_is_in_the_table() -> None:
    table = page("docs/exercises.md")
    rows = re.findall(r"^\| (ex\d\d) (★)?.* \| (\d+) \| (\d+) \|$", table, re.MULTILINE)

    assert rows == [
        (exercise.short, "★" if exercise.core else "", str(exercise.minutes), str(exercise.points))
        for exercise in exercises().values()
    ]


def test_the_losses_are_those_that_were_trained() -> None:
    shares = [f"{len(known.there)} of {known.trained}" for known in losses().values()]
    text = " ".join(page("docs/measurements.md").split())

    assert len(shares) == 3
    assert [share for share in shares if share not in text] == []
    # The README says "most".
    assert all(2 * len(known.there) > known.trained for known in losses().values())


def test_the_example_of_a_wrong_answer_has_every_field_that_one_needs() -> None:
    example = re.search(r"```toml\n(.*?)```", page("CONTRIBUTING.md"), re.DOTALL)
    assert example
    (entry,) = tomllib.loads(example[1])["bug"]
    needed = {field.name for field in fields(Bug) if field.default is MISSING}

    assert needed == entry.keys()


def test_the_glossary_is_short_and_in_use() -> None:
    text = page("CONTRIBUTING.md").split("## Words")[1].split("##")[0]

    assert len(column(text, 0)) - 2 <= MOST_WORDS


def test_the_map_leads_to_files_that_are_there() -> None:
    path = r"`((?:kata|tests|docs|bugs|\.github)/[\w./]+)`"
    named = re.findall(path, page("docs/map.md"))
    files = [name for name in named if "NN" not in name and "ex29" not in name]

    assert len(files) > 50
    assert [name for name in files if not (ROOT / name).exists()] == []
