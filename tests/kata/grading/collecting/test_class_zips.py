"""The zip of a whole class, as its platform exports it: graded as it comes, however hostile."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from kata.errors import UserError
from kata.grading.collecting import entries, students
from kata.grading.collecting.students import Notices
from kata.grading.collecting.submissions import Submission, listing, read
from tests.helpers.handed_work import EX05, F01, F05, METADATA, OTHER, WORK, Files
from tests.helpers.handing_in import encrypted, write, zipped
from tests.kata.grading.collecting.test_students import EXPORTS

pytestmark = pytest.mark.usefixtures("reader_here")
CLASS: Files = {
    f"doejohn_12345_678910_{F01}": WORK,
    f"doejohn_12345_678911_{F05}": OTHER,
    f"roeanna_LATE_12346_678920_{F01}": WORK,
    "poejane_12348_text.html": b"<p>No time.</p>",
}
IN_A_FOLDER: dict[str, Files] = {
    "assignment_8_export": {
        "assignment_8_export/submission_metadata.yml": METADATA.encode(),
        f"assignment_8_export/submission_101/{F05}": WORK,
        "assignment_8_export/submission_102/hand-in.zip": zipped({F05: WORK}),
    },
    "classroom": {
        f"masks-submissions/masks-anna-m/exercises/{F05}": WORK,
        f"masks-submissions/masks-anna-m/solutions/{F05}": OTHER,
        f"masks-submissions/masks-bob/exercises/{F05}": OTHER,
    },
}
ZIPS = IN_A_FOLDER | {name: files for name, (files, _) in EXPORTS.items()}


def collected(path: Path) -> tuple[list[Submission], list[str]]:
    told: list[str] = []
    return [read(student) for student in listing(path, notices=Notices(notes=told))], told


@pytest.mark.parametrize("name", ZIPS)
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_class_is_collected_from_its_zip_as_from_its_folder(
    tmp_path: Path, name: str, method: int
) -> None:
    write(tmp_path / "unpacked" / name, ZIPS[name])
    write(tmp_path, {f"{name}.zip": zipped(ZIPS[name], method)})

    packed, told = collected(tmp_path / f"{name}.zip")

    assert packed == collected(tmp_path / "unpacked" / name)[0]
    assert told == []
    assert len(packed) > 1


def test_the_first_of_a_class_is_known_too(tmp_path: Path) -> None:
    write(tmp_path, {"submissions (3).zip": zipped({f"doejohn_12345_678910_{F05}": WORK})})

    (submission,), _ = collected(tmp_path / "submissions (3).zip")

    assert submission == Submission("doejohn", {EX05: WORK}, id="12345")


@pytest.mark.parametrize("files", [
    {F05: WORK, "plot_100_200_a.png": b"", "plot_101_200_a.png": b""},
    {"submission_1/ex05_causal_masks.py": WORK}, {f"kata/exercises/{F05}": WORK, "kata/x.md": b""},
])  # fmt: skip
def test_the_zip_of_one_student_stays_one(tmp_path: Path, files: Files) -> None:
    write(tmp_path, {"jane.zip": zipped(files)})

    (submission,), _ = collected(tmp_path / "jane.zip")

    assert submission.student == "jane"
    assert submission.files == {EX05: WORK}


# Hostile ones


def with_entries(tmp_path: Path, *names: str, attributes: int = 0) -> Path:
    content = io.BytesIO(zipped(CLASS))
    with zipfile.ZipFile(content, "a") as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes << 16
            archive.writestr(info, "/etc/passwd")
    return write(tmp_path, {"submissions.zip": content.getvalue()}) / "submissions.zip"


@pytest.mark.parametrize("start", ["../", "../../../../../../../../tmp/", "/", "C:\\", "a/../../"])
def test_nothing_is_written_outside_its_folder(tmp_path: Path, start: str) -> None:
    name = f"{start}evil_1_2_{tmp_path.name}{F05}"
    before = {*Path("/").iterdir(), *Path("/tmp").iterdir()}

    students, told = collected(with_entries(tmp_path, name))

    after = {*Path("/").iterdir(), *Path("/tmp").iterdir()}
    assert not [path for path in after - before if "evil" in path.name]
    assert len(students) == 3
    assert [line for line in told if "its path leads out of the archive" in line] or not told


SECOND = f"doejohn_12345_678911_{F05}"
LEFT = "not unpacked from the class's zip: "
NAMES = ["doejohn", "poejane", "roeanna"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("name", "attributes", "names", "told"), [
    ("mallory_1_2_x.py", stat.S_IFLNK | 0o777, NAMES,
     [f"{LEFT}mallory_1_2_x.py: a link, which is not followed"]),
    (SECOND, 0, NAMES, [f"{LEFT}{SECOND}: another file there has the same name"]),
    (f"{SECOND}/x.py", 0, NAMES, [f"{LEFT}{SECOND}/x.py: another file there has the same name"]),
    (f"mallory_77_78_{'é' * 300}.zip", 0, ["doejohn", "mallory", *NAMES[1:]], []),
], ids=["link", "a name twice", "a file where a folder is", "a long name"])  # fmt: skip
def test_an_odd_entry_costs_only_itself(
    tmp_path: Path, name: str, attributes: int, names: list[str], told: list[str]
) -> None:
    students, notes = collected(with_entries(tmp_path, name, attributes=attributes))

    assert [submission.student for submission in students] == names
    assert students[0].files[EX05] == OTHER
    assert notes == told
    if "mallory" in names:  # a long name keeps its front and its suffix
        assert students[1].problem.startswith("the archive is damaged")


def test_what_is_encrypted_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"submissions.zip": encrypted(zipped(CLASS))})

    with pytest.raises(Exception, match="holds nothing"):
        collected(tmp_path / "submissions.zip")


def test_a_bomb_in_it_is_cut(tmp_path: Path, limits: dict[str, int]) -> None:
    most = limits["archive"]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(f"doejohn_1_2_{F05}", WORK)
        archive.writestr("mallory_2_3_bomb.zip", bytes(2 * most << 20))
    write(tmp_path, {"submissions.zip": content.getvalue()})

    students, told = collected(tmp_path / "submissions.zip")

    assert [submission.problem for submission in students] == [
        "",
        f"the archive is larger than {most} MiB",
    ]
    assert told == []


def test_too_large_a_class_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "LARGEST_CLASS", 5)
    write(tmp_path, {"x.zip": zipped(CLASS)})

    with pytest.raises(UserError, match=r"x\.zip: it unpacks to more than"):
        collected(tmp_path / "x.zip")


def test_it_is_unpacked_slice_by_slice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "SLICE_FILES", 1)
    path, folder, end, left = with_entries(tmp_path, "../x"), tmp_path / "out", 0, []
    for number in range(1, len(CLASS) + 2):
        part = entries.unpacked((path, folder, end))
        end, left = part.end, left + part.refused
        assert end == (number if number <= len(CLASS) else 0)

    assert sorted(path.name for path in folder.iterdir()) == sorted(CLASS)
    assert left == [("../x", "its path leads out of the archive")]
    assert collected(path)[1] == [
        "not unpacked from the class's zip: ../x: its path leads out of the archive"
    ]
