"""docs/documents.md: what takes long to compute of it, and each of its commands."""

import pytest

from tests.kata.handouts.test_documents import COMMANDS, DEAR, assert_computed, assert_runs


def test_what_is_trained_and_judged_is_the_computed_one() -> None:
    assert_computed(DEAR)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_runs(command, capsys)
