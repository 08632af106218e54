"""What a locked process with torch can and cannot do."""

from pathlib import Path

from tests.kata.inside.test_locks import outcomes


def test_locked_in_torch_works_and_gets_no_more_memory(tmp_path: Path) -> None:
    found = outcomes(tmp_path, "--torch")

    assert {name for name, end in found["abilities"].items() if end != "done"} == set()
    assert {"training", "more_threads", "error_with_its_source"} <= found["abilities"].keys()
    assert found["attempts"]["tensor of 4 GiB"] == "RuntimeError"
    for locks in ("attempts", "old Landlock"):
        assert "done" not in found[locks].values()
