"""docs/documents.md: each of its commands."""

import pytest

from kata.__main__ import main
from tests.kata.handouts.test_documents import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", *command.split()]) == 0
    assert len(capsys.readouterr().out) > 200
