"""What an instructor says about whose work it is: `--names`, `--resubmissions`."""

from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.collecting.students import Attribution, NamesTable, Notices, listing, read_names
from kata.grading.collecting.submissions import HandedIn, read
from tests.helpers.handed_work import EX01, EX05, F01, F05, OTHER, WORK, Files
from tests.helpers.handing_in import write, zipped


def collected(tmp_path: Path, files: Files, table: str = "", **said: bool) -> dict[str, HandedIn]:
    names = NamesTable()
    if table:
        names = read_names(write(tmp_path, {"names.csv": table.encode()}) / "names.csv")
    told.clear()
    notices = Notices(notes=told, undecided=told)
    everybody = listing(write(tmp_path / "class", files), None, Attribution(names, **said), notices)
    found = [read(each) for each in everybody]
    return {each.student: each for each in found}


told: list[str] = []
MOODLE = "{}_{}_assignsubmission_file_/{}"

# Numbers in brackets


def test_two_folders_are_two_people(tmp_path: Path) -> None:
    found = collected(tmp_path, {f"Wei Zhang/{F05}": WORK, f"Wei Zhang (2)/{F05}": OTHER})

    assert {name: each.files for name, each in found.items()} == {
        "Wei Zhang": {EX05: WORK},
        "Wei Zhang (2)": {EX05: OTHER},
    }
    assert [each.notes for each in found.values()] == [(), ()]  # students read these
    assert told == [
        "taken for people of their own, in spite of the number at the end: Wei Zhang (2); with "
        "--resubmissions such folders are later hand-ins of the same person"
    ]


def test_they_are_one_if_the_instructor_says_so(tmp_path: Path) -> None:
    files = {f"Wei Zhang/{F05}": WORK, f"Wei Zhang (2)/{F05}": OTHER}

    found = collected(tmp_path, files, resubmissions=True)

    assert found["Wei Zhang"].files == {EX05: OTHER}
    assert "Wei Zhang (2)/ is later" in found["Wei Zhang"].notes[0]
    assert len(found) == 1


@pytest.mark.parametrize("said", [True, False])
def test_numbers_of_files_are_those_of_a_browser(tmp_path: Path, said: bool) -> None:
    files = {"wei.zip": zipped({F05: WORK}), "wei (2).zip": zipped({F05: OTHER})}

    found = collected(tmp_path, files, resubmissions=said)

    assert [*found] == ["wei"]
    assert found["wei"].files == {EX05: OTHER}


# A table of names


def test_people_by_what_they_handed_in(tmp_path: Path) -> None:
    table = ("handed_in,section,student\njd77,A,Jane Doe\nfinal version.zip,A,Wei Zhang\n"
             'hw,B,Ann Roe\n102,B,"Bob, Jr."\n')  # fmt: skip
    files = {
        f"jd77/{F05}": WORK, "final version.zip": zipped({F05: OTHER}), "hw.py": b"",
        f"somebody_102_assignsubmission_file_/{F01}": WORK, f"zoe/{F05}": WORK,
    }  # fmt: skip

    found = collected(tmp_path, files, table)

    assert {*found} == {"Jane Doe", "Wei Zhang", "Ann Roe", "Bob, Jr.", "zoe"}
    assert found["Bob, Jr."].id == "102"
    assert found["Jane Doe"].files == {EX05: WORK}
    assert told == []


@pytest.mark.parametrize(
    "table", ["HANDED_IN;Student\nJD77;Jané Doe\n", "\ufeffhanded_in\tstudent\njd77/\tJané Doe\n\n"]
)
def test_any_common_csv_is_read(tmp_path: Path, table: str) -> None:
    assert [*collected(tmp_path, {f"jd77/{F05}": WORK, f"b/{F05}": WORK}, table)] == [
        "b",
        "Jané Doe",
    ]


def test_one_person_may_have_handed_in_under_several_names(tmp_path: Path) -> None:
    table = "handed_in,student\njd77,Jane\njane_private,Jane\n"

    found = collected(tmp_path, {f"jd77/{F05}": WORK, f"jane_private/{F01}": OTHER}, table)

    assert found["Jane"].files == {EX01: OTHER, EX05: WORK}
    assert len(found) == 1


def test_of_several_numbers_of_one_person_none_counts(tmp_path: Path) -> None:
    table = "handed_in,student\n101,Jane\n102,Jane\n"
    files = {MOODLE.format("jane", 101, F05): WORK, MOODLE.format("jd", 102, F01): WORK}

    found = collected(tmp_path, files, table)

    assert found["Jane"].id == ""
    assert {*found["Jane"].files} == {EX01, EX05}


def test_unknown_names_are_told_once(tmp_path: Path) -> None:
    table = "handed_in,student\n" + "".join(f"x{n},Person {n}\n" for n in range(7))

    collected(tmp_path, {f"a/{F05}": WORK, f"b/{F05}": WORK}, table)

    assert told == [f"{tmp_path}/names.csv names what was not handed in: x0, x1, x2 and 4 more"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("handed_in,student\na,Jane\nA,John\n", "a is Jane in line 2 and John in line 3"),
        ("handed_in,student\na_101_assignsubmission_file_,Jane\n101,John\n",
         "a_101_assignsubmission_file_ is Jane in line 2 and John in line 3"),
        ("handed_in,student\na,\n", "line 2: a cell is empty"),
        ("handed_in,student\na\n", "line 2: a cell is empty"),
        ("file,student\na,b\n", "needs the columns handed_in and student"),
        ("", "needs the columns handed_in and student"),
    ],
)  # fmt: skip
def test_a_bad_table_is_one_line(tmp_path: Path, table: str, message: str) -> None:
    write(tmp_path, {"names.csv": table.encode()})
    files = {MOODLE.format("a", 101, F05): WORK, MOODLE.format("b", 102, F05): WORK}

    with pytest.raises(UserError, match=r"names\.csv") as caught:
        listing(
            write(tmp_path / "class", files), None, Attribution(read_names(tmp_path / "names.csv"))
        )

    assert message in str(caught.value).replace("A is", "a is")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("handed_in,student\n".encode("utf-16"), "not UTF-8 text; save it as UTF-8"),
     (b"handed_in,student\n\x81,x\n", "not UTF-8 text; save it as UTF-8"),
     (b'handed_in,student\n"' + b"a" * 200_000, "field larger than field limit")],
)  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    write(tmp_path, {"names.csv": content})

    with pytest.raises(UserError, match=reason):
        read_names(tmp_path / "names.csv")
    with pytest.raises(UserError, match="No such file"):
        read_names(tmp_path / "none.csv")


def test_a_table_may_be_as_windows_saves_it(tmp_path: Path) -> None:
    write(tmp_path, {"names.csv": "handed_in;student\nann;Renée\n".encode("cp1252")})

    (row,) = read_names(tmp_path / "names.csv").rows.values()

    assert row.student == "Renée"


def test_a_name_that_two_people_share_is_refused(tmp_path: Path) -> None:
    files = {f"Wei Zhang_{n}_assignsubmission_file_/{F05}": WORK for n in (101, 102)}

    with pytest.raises(UserError, match="several people are called Wei Zhang; name them by number"):
        collected(tmp_path, files, "handed_in,student\nWei Zhang,Wei A. Zhang\n")

    found = collected(tmp_path, files, "handed_in,student\n101,Wei A. Zhang\n")
    assert [*found] == ["Wei A. Zhang", "Wei Zhang"]
