"""Tables that people and platforms write, in every form that spreadsheets give them."""

import os
import re
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading import tables
from kata.grading.tables import amount, read_sheet, read_toml


@pytest.mark.parametrize(("content", "rows"), [
    (b"Handed In,Student\nann,Ren\xc3\xa9e\n", [(2, "ann", "Ren\xe9e")]),
    (b"\xef\xbb\xbfhanded_in;student\r\nann;Ren\xc3\xa9e\r\n", [(2, "ann", "Ren\xe9e")]),
    (b"\n\nhanded_in;student;\n\nann;Ren\xe9e; ;\n", [(5, "ann", "Ren\xe9e")]),
    (b'handed_in\tstudent\n"a\nb"\t c \n ,\nd\n', [(2, "a\nb", "c"), (4, ",", ""), (5, "d", "")]),
    (b"HANDED_IN,student,student\na,first,second\n", [(2, "a", "first")]),
])  # fmt: skip
def test_a_table_is_read_as_any_spreadsheet_saves_it(
    tmp_path: Path, content: bytes, rows: list[tuple[int, str, str]]
) -> None:
    (tmp_path / "names.csv").write_bytes(content)

    records = read_sheet(tmp_path / "names.csv").records()

    assert [(line, row["handed_in"], row["student"]) for line, row in records] == rows


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "is empty: expected a table, saved as CSV"),
    ("Student,ID\n".encode("utf-16"), "is UTF-16 text: save it as CSV in UTF-8, or export it "
     "again as CSV"),
    (b"Student,ID\nJos\x81,1\n", "is not UTF-8 text: choose UTF-8 where the platform asks for the "
     "encoding, or save it as CSV in UTF-8"),
    (b"Student,ID\n" + b"x" * 200_000, "is not a CSV table: field larger than field limit"),
    (b"Student,ID\n\nJane,1\nAnn,2,x\n", ": line 4 of the table has more cells than the first"),
    (b"Student,ID\n" + b"Jane,1\n" * 9, "has more than 8 rows"),
    (b"x" * 2**21, "is larger than 1 MiB"),
    (None, "cannot be read: No such file or directory"),
], ids=range(8))  # fmt: skip
def test_what_is_no_table_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, reason: str
) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 8)
    monkeypatch.setattr(tables, "LARGEST", 2**20)
    path = tmp_path / "names.csv"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UserError, match=re.escape(reason)) as error:
        read_sheet(path)

    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_sheet(tmp_path)


@pytest.mark.parametrize(("text", "reason"), [
    ("a = " + "[" * 5_000 + "]" * 5_000, "cannot be read: it is nested too deeply"),
    ("a = ", "cannot be read: Invalid value"),
    (None, "cannot be read: No such file or directory"),
], ids=["deep", "half", "missing"])  # fmt: skip
def test_what_is_no_toml_is_told(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "rubric.toml"
    if text is not None:
        path.write_text(text)

    with pytest.raises(UserError, match=reason):
        read_toml(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "names.csv")

    with pytest.raises(UserError, match="is no plain file"):
        read_sheet(tmp_path / "names.csv")


@pytest.mark.parametrize(("text", "value"), [
    ("50", 50), ("50.00", 50), ("50,0", 50), ("8,25", 8.25), ("1.000", 1), ("0", 0),
    ("1,000.00", 1000), ("1.000,00", 1000), ("1 000,5", 1000.5), ("1\u202f000", 1000),
    ("1'000.00", 1000), ("12,345,678.9", 12345678.9),
    ("1,000", None), ("12,34.5", None), ("-5", None), ("nan", None), ("inf", None), ("", None),
    ("(read only)", None), ("1e3", None), ("9" * 400, None),
])  # fmt: skip
def test_an_amount_is_read_with_points_and_commas_or_not_at_all(
    text: str, value: float | None
) -> None:
    assert amount(text) == value
