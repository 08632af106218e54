"""A platform's own table, filled in: Canvas' gradebook, Moodle's worksheet and gradebook."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.errors import UserError
from kata.grading.reports import gradebooks
from kata.grading.reports.wording import number
from kata.grading.tables import harmless
from kata.marks import Mark
from kata.verdict import Diagnosis, ExerciseVerdict, Fit, Mistake
from tests.helpers.odd_class import NAMES, names, odd_class

CANVAS = """\
\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Homework 0 (11),Masks (12),Final Score
,,,,,Manual Posting,,
    Points Possible,,,,,10.00,20.00,(read only)
"Doe, Jane",101,S1,jane@uni,"A, B",7,,88
"Li, Ann",102,S2,ann@uni,A,8,3,88
"Li, Ann",103,S3,ann2@uni,A,8,4,88
"Roe, Rik",104,S4,rik@uni,A,8,EX,88
"=1+1, Eve",105,S5,eve@uni,A,8,2,88
"Student, Test",999,,,A,,,
"""
WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 101,Jane Doe,jane@uni,Submitted,,50.00,Yes,-,-,
Participant 102,Ann Li,ann@uni,Submitted,1.00,50.00,Yes,-,-,kept
Participant 103,Ann Li,ann2@uni,Submitted,,50.00,No,-,-,
Participant 104,@Rik,rik@uni,Submitted,,50.00,Yes,-,-,
"""
GRADEBOOK = """\
First name;Last name;ID number;Email address;Assignment: Masks (Real);Last downloaded
Jane;Doe;S1;jane@uni;5;1
Ann;Li;S2;ann@uni;-;1
"""
SIS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Masks (12)
"Ray, Bob",55,101,bob,A,
"Li, Ann",56,701,102,A,
"Li, Ann",57,702,103,A,
"""
ID_NUMBERS = """\
First name,Last name,ID number,Email address
Bob,Ray,101,bob@uni
Ann,Li,102,ann@uni
Ann,Li,103,ann2@uni
"""
POINTS = {"ex01_softmax": 4.0}
COMMENT = "ex01 2/4. ex01: sums &lt; rows."


def person(student: str, score: float = 2, problem: str = "") -> SubmissionVerdict:
    if problem:
        return SubmissionVerdict(student, problem=problem)
    named = Diagnosis(Fit.ONE, (Mistake("rows", "sums < rows"),))
    exercise = ExerciseVerdict("ex01_softmax", diagnosis=named)
    return SubmissionVerdict(student, (exercise,), (Mark(score, 4),))


def numbered(student: str, number: str) -> SubmissionVerdict:
    return replace(person(student), id=number)


JANE = person("Jane Doe")


def filled(
    folder: Path, export: str | bytes, *students: SubmissionVerdict, column: str = ""
) -> tuple[list[list[str]], str]:
    """The table that is to be imported, and what was told."""
    path = folder / "export.csv"
    path.write_bytes(export if isinstance(export, bytes) else export.encode())
    verdicts = ClassVerdict(lambda: iter(students), POINTS)
    lines = gradebooks.fill_gradebook(path, verdicts, folder / "grades", column)
    written = (folder / "grades" / "gradebook.csv").read_text(encoding="utf-8")
    delimiter = ";" if ";" in written.splitlines()[0] else ","
    return list(csv.reader(io.StringIO(written), delimiter=delimiter)), "\n".join(lines)


def column_of(table: list[list[str]], place: int = -1) -> list[str]:
    return [row[place] for row in table]


# Canvas


@pytest.mark.parametrize(("student", "column", "scores", "line"), [
    (person("doejane"), "Masks", ["Masks (12)", "", "20.00", "10", "3", "4", "EX", "2", ""],
     "a full score of 4 here is 20 there"),
    (person("Jane Doe", 1.5), "", ["Attention kata", "", "4", "1.5", "", "", "", "", ""],
     "a new assignment, Attention kata, was made; there is Homework 0 (11)"),
    (person("doejane"), "Homework 0", ["Homework 0 (11)", "Manual Posting", "10.00", "5", "8", "8",
                                       "8", "8", ""], "1 existing grade was replaced"),
    (person("roerik"), "Masks (12)", ["Masks (12)", "", "20.00", "", "3", "4", "EX", "2", ""],
     "roerik: excused on the platform, left unchanged\n0 grades are in"),
    (person("=1+1, Eve"), "Masks", ["Masks (12)", "", "20.00", "", "3", "4", "EX", "10", ""],
     "1 existing grade was replaced"),
    (person("liann (102)", problem="the archive is\x1b[31m damaged"), "Masks",
     ["Masks (12)", "", "20.00", "", "3", "4", "EX", "2", ""], "liann (102): not graded, left "),
])  # fmt: skip
def test_canvas_gets_one_column(
    tmp_path: Path, student: SubmissionVerdict, column: str, scores: list[str], line: str
) -> None:
    table, lines = filled(tmp_path, CANVAS, student, column=column)

    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert table[0] == [*head, scores[0]]
    assert column_of(table) == scores
    assert column_of(table, 1)[3:] == ["101", "102", "103", "104", "105", "999"]
    assert table[7][0] == "'=1+1, Eve"
    assert line in lines
    assert ("new assignment" in lines) == (not column)
    assert "\x1b" not in lines


@pytest.mark.parametrize(("export", "student", "column", "rows"), [
    ("Student;ID;SIS Login ID;Section;Masks (12)\n    Points Possible;;;;8,0\n"
     "Doe, Jane;101;jane;A;\n", person("Doe, Jane", 3), "Masks",
     [["    Points Possible", "", "", "", "8,0"], ["Doe, Jane", "101", "jane", "A", "6"]]),
    ("Student,ID,SIS Login ID,Section\nDoe Jane,101,jane,A\n", person("Doe Jane"), "",
     [["Doe Jane", "101", "jane", "A", "2"], ["    Points Possible", "", "", "", "4"]]),
], ids=["semicolons", "without points"])  # fmt: skip
def test_other_tables_of_canvas(
    tmp_path: Path, export: str, student: SubmissionVerdict, column: str, rows: list[list[str]]
) -> None:
    assert filled(tmp_path, export, student, column=column)[0][1:] == rows


# Whose row it is


ANN_LI = r"Li\b"
ROWS = [
    # Two of one name are told apart by a number alone.
    (CANVAS, ANN_LI, [person("liann (103)"), person("liann")], ["3", "10"],
     "liann: matches more than one row, and none was filled in: Li, Ann (102, S2, ann@uni), Li, "
     "Ann (103, S3, ann2@uni)"),
    (CANVAS, ANN_LI, [numbered("liann", "103")], ["3", "10"], "1 grade is in"),
    # A row is filled only if name and number lead there, and nobody else.
    (CANVAS, "Doe", [person("mallory (101)")], [""], "mallory (101): nobody in the export"),
    (CANVAS, "Doe", [person("101")], [""], "101: nobody in the export"),
    (CANVAS, "Doe", [person("Jané Doe")], [""], "nobody in the export has this name or number"),
    (CANVAS, "Doe", [numbered("doejane", "104")], [""], "doejane: matches more than one row"),
    (CANVAS, "Doe", [JANE, person("doejane")], [""],
     "Jane Doe, doejane match the same row of the export: none was filled in"),
    # A number of another system decides between people of one name, and nothing else.
    *((export, "Ray|Li", [student], ["", "", grade], line)
      for export in (SIS, ID_NUMBERS)
      for student, grade, line in (
          (numbered("Jane Doe", "101"), "", "Jane Doe: nobody in the export"),
          (numbered("Ann Li", "103"), "2", "1 grade is in"),
          (person("Ann Li (103)"), "2", "1 grade is in"),
      )),
]  # fmt: skip


@pytest.mark.parametrize(("export", "names", "students", "grades", "line"), ROWS)
def test_whose_row_it_is(
    tmp_path: Path,
    export: str,
    names: str,
    students: list[SubmissionVerdict],
    grades: list[str],
    line: str,
) -> None:
    column = "Masks" if export is CANVAS else ""
    place = -2 if export is ID_NUMBERS else -1  # the last one of Moodle has comments
    table, lines = filled(tmp_path, export, *students, column=column)

    rows = [row for row in table if re.search(names, ",".join(row))]
    assert column_of(rows, place) == grades
    assert line in lines


def test_the_odd_class_finds_its_lines_by_name(tmp_path: Path) -> None:
    count = 60
    everybody = odd_class(count, ("ex01_softmax", "ex08_heads_in_a_list"))
    students = [name for name in names(count) if name == name.strip() and name.isprintable()]
    export = io.StringIO()
    rows = csv.writer(export)
    rows.writerow(["Student", "ID", "SIS Login ID", "Section"])
    rows.writerows([name, place, "", "A"] for place, name in enumerate(students, 5000))
    (tmp_path / "export.csv").write_text(export.getvalue(), encoding="utf-8")
    lines = gradebooks.fill_gradebook(tmp_path / "export.csv", everybody, tmp_path)
    with (tmp_path / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        _, *table = csv.reader(file)
    scores = {verdict.student: verdict for verdict in everybody.submissions()}

    assert len(students) > count - 20
    assert column_of(table[:-1], 0) == [harmless(name) for name in students]
    assert column_of(table[:-1]) == [
        "" if scores[name].problem else number(scores[name].score, 2) for name in students
    ]
    lost = {name for name in names(count) if name not in students or scores[name].problem}
    assert len(lines) == len(lost) + 1
    assert all(line.isprintable() for line in lines)
    assert {*NAMES} & lost


# Moodle


def test_a_worksheet_of_moodle_gets_grades_and_comments(tmp_path: Path) -> None:
    table, lines = filled(tmp_path, WORKSHEET, JANE, person("Ann Li (103)"))

    assert [(row[4], row[-1]) for row in table[1:4]] == [("25", COMMENT), ("1.00", "kept"),
                                                         ("", "")]  # fmt: skip
    assert "a full score of 4 here is 50 there" in lines
    assert "1 grade is in" in lines
    assert "Ann Li (103): this grade is locked on the platform" in lines
    assert table[4][1] == "'@Rik"
    assert column_of(table[1:], 0) == [f"Participant {number}" for number in range(101, 105)]

    table, lines = filled(tmp_path, WORKSHEET, person("Jane Doe", 5))
    assert table[1][4] == "50"
    assert "Jane Doe has more points than there are, and Moodle takes no more" in lines

    table, _ = filled(tmp_path, "Identifier,Grade\nParticipant 7,\n", person("Participant 7"))
    assert table == [["Identifier", "Grade", "Feedback comments"], ["Participant 7", "2", COMMENT]]

    table, lines = filled(tmp_path, WORKSHEET.replace(",50.00,", ',"1,000.00",'), JANE)
    assert table[1][4] == "500"
    assert "a full score of 4 here is 1000 there" in lines


def test_the_gradebook_of_moodle_gets_two_columns_and_loses_other_grades(tmp_path: Path) -> None:
    table, _ = filled(tmp_path, GRADEBOOK, JANE, column="Masks")

    assert table == [["First name", "Last name", "ID number", "Email address", "Masks",
                      "Masks (feedback)"], ["Jane", "Doe", "S1", "jane@uni", "2", COMMENT],
                     ["Ann", "Li", "S2", "ann@uni", "", ""]]  # fmt: skip


# The headings of a worksheet, what a participant is called there, and the two words for yes and no.
WORKSHEETS = {
    "en": ("Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
           "Last modified (submission),Last modified (grade),Feedback comments",
           "Participant ", "Yes", "No"),
    "de": ("ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,"
           "Bewertung kann geändert werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),"
           "Feedback als Kommentar", "Teilnehmer/in", "Ja", "Nein"),
    "fr": ("Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,"
           "La note peut être modifiée,Dernière modification (travail remis),"
           "Dernière modification (note),Feedback par commentaires", "Participant ", "Oui", "Non"),
    "es": ("Identificador,Nombre completo,Dirección de correo,Estado,Calificación,"
           "Calificación máxima,La calificación puede ser cambiada,Última modificación (entrega),"
           "Última modificación (calificación),Comentarios de retroalimentación",
           "Participante ", "Sí", "No"),
    "it": ("Identificativo,Nome,Indirizzo email,Stato,Valutazione,Valutazione massima,"
           "La valutazione può essere cambiata,Ultima modifica (consegna),"
           "Ultima modifica (valutazione),Commenti", "Partecipante", "Sì", "No"),
    "nl": ("Identificatie,Volledige naam,E-mailadres,Status,Cijfer,Maximaal cijfer,"
           "Het cijfer kan gewijzigd worden,Laatst gewijzigd (insturen),Laatst gewijzigd (cijfer),"
           "Feedback tekstvak", "Deelnemer ", "Ja", "Nee"),
}  # fmt: skip


def worksheet(language: str, maximum: str = "50.00") -> str:
    heading, word, yes, no = WORKSHEETS[language]
    people = (("101", "Jane Doe", "", yes), ("102", "Ann Li", "3.00", yes), ("103", "Rik", "", no))
    lines = [f'{word}{number},{name},a@uni,-,{grade},"{maximum}",{changeable},-,-,'
             for number, name, grade, changeable in people]  # fmt: skip
    return "\n".join([heading, *lines, ""])


@pytest.mark.parametrize("language", WORKSHEETS)
@pytest.mark.parametrize("maximum", ["50.00", "50,00"])
def test_a_worksheet_is_known_by_its_headings(tmp_path: Path, language: str, maximum: str) -> None:
    export = worksheet(language, maximum)

    (header, *rows), lines = filled(tmp_path, export, JANE, numbered("Rik", "103"))

    assert header == export.splitlines()[0].split(",")
    assert [(row[4], row[-1]) for row in rows] == [("25", COMMENT), ("3.00", ""), ("", "")]
    assert "Rik: this grade is locked on the platform" in lines
    assert "the headings of this worksheet are not known" not in lines
    assert "1 grade is in" in lines


def test_one_in_an_unknown_language_is_known_by_its_shape(tmp_path: Path) -> None:
    lines = worksheet("en").splitlines()[1:]
    heading = "Auðkenni,Fullt nafn,Netfang,Staða,Einkunn,Hámark,Breytanleg,A,B,Athugasemdir"
    export = "\n".join([heading, *lines])

    (_, jane, *_), lines = filled(tmp_path, export, numbered("Jane Doe", "101"))

    assert (jane[4], jane[-1]) == ("25", "")
    assert lines.splitlines()[:3] == [
        "the headings of this worksheet are not known: by its shape, grades are in Einkunn, "
        "and the most that can be reached in Hámark",
        "no column for comments was recognised: only grades were filled in",
        "which grades are locked on the platform could not be told: they were filled in, too",
    ]


@pytest.mark.parametrize("rows", [
    ["A 1,Jane,x,50,50,50", "A 2,Ann,x,50,50,50"],  # nothing says which of two is the most
    ["A 1,Jane,x,,50,50", "A 2,Ann,x,,50,50"],
    ["A 1,Jane,x,y,z,w"],
    ["A 1,Jane,x,,50,y", "A 1,Jane,x,,50,y"],  # twice the same participant
    ["A 1,Jane,x,,50,y", "B 2,Jane,x,,50,y"],
    ["Jane,Jane,x,,50,y"],
    [],
])  # fmt: skip
def test_what_is_not_certain_is_refused_in_one_line(tmp_path: Path, rows: list[str]) -> None:
    with pytest.raises(UserError, match=r"is not a known table.*export it in English$"):
        filled(tmp_path, "\n".join(["a,b,c,d,e,f", *rows]), JANE)

    assert not (tmp_path / "grades").exists()


def test_what_moodle_would_not_know_is_not_added_and_a_teachers_column_stays(
    tmp_path: Path,
) -> None:
    export = worksheet("de").replace(",Feedback als Kommentar", "").replace(",-,-,", ",-,-")
    (header, jane, *_), lines = filled(tmp_path, export, JANE)
    assert (len(header), jane[4]) == (9, "25")
    assert "no column for comments was recognised" in lines

    # One of one's own may be called like a grade in another language.
    first, *others = worksheet("en").splitlines()
    export = "\n".join([f"{first},Note", *(f"{row},mine" for row in others)])
    (_, jane, *_), _ = filled(tmp_path, export, JANE)
    assert (jane[4], jane[-1]) == ("25", "mine")


@pytest.mark.parametrize("heading", [
    "Vorname;Nachname;ID-Nummer;E-Mail-Adresse",
    "Prénom;Nom de famille;Numéro d’identification;Adresse de courriel",
    "Nombre;Apellido(s);Número de ID;Dirección de correo",
])  # fmt: skip
def test_the_gradebook_is_known_by_its_headings(tmp_path: Path, heading: str) -> None:
    export = f"{heading};Test 1;Kurs\nJane;Doe;S1;jane@uni;5;1\n=Ann;Li;S2;ann@uni;6;1\n"

    (header, jane, ann), _ = filled(tmp_path, export, JANE)

    assert header == [*heading.split(";"), "Attention kata", "Attention kata (feedback)"]
    assert jane[4:] == ["2", COMMENT]
    assert ann == ["'=Ann", "Li", "S2", "ann@uni", "", ""]


# Any table


@pytest.mark.parametrize("export", [
    "First name,Last name,Email address\nJane,Doe,=1+1\n",
    "Identifier,Full name,Email address,Grade,Maximum Grade\nParticipant 1,Jane Doe,=1+1,,4\n",
    'Student,ID,SIS User ID,Section\n    Points Possible,,,\n"Doe, Jane",1,1,=1+1\n',
], ids=["Moodle's gradebook", "Moodle's worksheet", "Canvas"])  # fmt: skip
def test_no_column_that_people_fill_has_a_formula(tmp_path: Path, export: str) -> None:
    table, _ = filled(tmp_path, export, JANE)

    cells = [cell for row in table for cell in row]
    assert "'=1+1" in cells
    assert "=1+1" not in cells


@pytest.mark.parametrize("cell", ["1,000", "-", "full"])
@pytest.mark.parametrize("export", [WORKSHEET, CANVAS], ids=["moodle", "canvas"])
def test_a_maximum_that_cannot_be_read_is_told_before_anybody_is_graded(
    tmp_path: Path, export: str, cell: str
) -> None:
    path = tmp_path / "export.csv"
    path.write_text(export.replace("50.00", f'"{cell}"').replace("20.00", f'"{cell}"'))

    with pytest.raises(UserError, match=f"export.csv: {cell} is not a number of points"):
        gradebooks.check_gradebook(path, "Masks")


@pytest.mark.parametrize(("content", "reason"), [
    (b"Name,Points\nJane,3\n", "its columns are Name, Points"),
    (b"Student,ID,Section,Masks (1),Masks (2)\n", "more than one assignment"),
    (b"Student,ID,Section,Homework (1)\n", "no assignment is called Masks; there is Homework (1)"),
    (b"Student,ID,Section\nJane,1,A,4,5\n", "line 2 of the table has more cells"),
    (b"Student,ID,Section\n", "no assignment is called Masks; there is none"),
])  # fmt: skip
def test_an_export_that_cannot_be_used_is_told_in_one_line(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    with pytest.raises(UserError, match=re.escape(reason)) as error:
        filled(tmp_path, content, JANE, column="Masks")

    assert "\n" not in str(error.value)
    assert not (tmp_path / "grades").exists()
