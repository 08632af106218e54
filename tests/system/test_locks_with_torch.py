"""What a locked process with torch can and cannot do."""

from pathlib import Path

from tests.kata.inside.test_locks import outcomes_in


def test_locked_in_torch_works_and_gets_no_more_memory(tmp_path: Path) -> None:
    outcomes = outcomes_in(tmp_path, "--torch")

    assert {name for name, end in outcomes["abilities"].items() if end != "done"} == set()
    assert {"training", "more_threads", "error_with_its_source"} <= outcomes["abilities"].keys()
    assert outcomes["attempts"]["tensor of 4 GiB"] == "RuntimeError"
    for layers in ("attempts", "old Landlock"):
        assert "done" not in outcomes[layers].values()
