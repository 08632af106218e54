"""The grading worksheet and the gradebook of Moodle in other languages than English."""

import csv
import os
from pathlib import Path

import pytest

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.errors import UserError
from kata.grading.reports import gradebook, sheet
from kata.points import Mark
from kata.verdict import ExerciseVerdict

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
SCORE, FEEDBACK = 4, -1
POINTS = 2.0


def handed(student: str) -> SubmissionVerdict:
    """Graded work; the number in brackets is that in the names of files."""
    name, _, number = student.rstrip(")").partition(" (")
    exercise = ExerciseVerdict("ex01_softmax")
    return SubmissionVerdict(name, (exercise,), (Mark(POINTS, 4.0),), id=number)


def filled(folder: Path, export: str, *students: str) -> tuple[list[list[str]], str]:
    """The table that is to be imported, and what was told."""
    path = folder / "export.csv"
    path.write_text(export, encoding="utf-8")
    found = ClassVerdict(lambda: map(handed, students), {"ex01_softmax": 4.0})
    told = gradebook.fill(path, found, folder, "")
    written = (folder / "gradebook.csv").read_text(encoding="utf-8").splitlines()
    return [*csv.reader(written, delimiter=";" if ";" in written[0] else ",")], "\n".join(told)


def test_moodle_takes_no_bonus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__name__ + ".POINTS", 5.0)

    table, told = filled(tmp_path, worksheet("en"), "Jane Doe")

    assert table[1][SCORE] == "50"
    assert "Jane Doe has more points than there are, and Moodle takes no more" in told


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

    (header, jane, ann, rik), told = filled(tmp_path, export, "Jane Doe", "Rik (103)")

    assert header == export.splitlines()[0].split(",")
    assert (jane[SCORE], jane[FEEDBACK]) == ("25", "ex01 2/4.")
    assert (ann[SCORE], ann[FEEDBACK]) == ("3.00", "")
    assert (rik[SCORE], rik[FEEDBACK]) == ("", "")
    assert "Rik: this grade is locked on the platform" in told
    assert "the headings of this worksheet are not known" not in told
    assert "1 grade is in" in told


def test_one_in_an_unknown_language_is_known_by_its_shape(tmp_path: Path) -> None:
    lines = worksheet("en").splitlines()[1:]
    heading = "Auðkenni,Fullt nafn,Netfang,Staða,Einkunn,Hámark,Breytanleg,A,B,Athugasemdir"

    (_, jane, *_), told = filled(tmp_path, "\n".join([heading, *lines]), "Jane Doe (101)")

    assert (jane[SCORE], jane[FEEDBACK]) == ("25", "")
    assert told.splitlines()[:3] == [
        "the headings of this worksheet are not known: by its shape, grades are in Einkunn, "
        "and the most that can be reached in Hámark",
        "no column for comments was recognised: only grades were filled in",
        "which grades are locked on the platform could not be told: they were filled in, too",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["A 1,Jane,x,30,40,50", "A 2,Ann,x,31,41,50"],  # nothing says which of two is the most
        ["A 1,Jane,x,,50,50", "A 2,Ann,x,,50,50"],
        ["A 1,Jane,x,y,z,w"],
        ["A 1,Jane,x,,50,y", "A 1,Jane,x,,50,y"],  # twice the same participant
        ["A 1,Jane,x,,50,y", "B 2,Jane,x,,50,y"],
        ["Jane,Jane,x,,50,y"],
        [],
    ],
)
def test_what_is_not_certain_is_refused_in_one_line(tmp_path: Path, rows: list[str]) -> None:
    rows = [row.replace("30,40,50", "50,50,50").replace("31,41,50", "50,50,50") for row in rows]

    with pytest.raises(UserError, match="is not a known table") as caught:
        filled(tmp_path, "\n".join(["a,b,c,d,e,f", *rows]), "Jane")

    assert "\n" not in str(caught.value)
    assert "export it in English" in str(caught.value)
    assert not (tmp_path / "gradebook.csv").exists()


def test_no_column_is_added_whose_heading_moodle_would_not_know(tmp_path: Path) -> None:
    export = worksheet("de").replace(",Feedback als Kommentar", "").replace(",-,-,", ",-,-")

    (header, jane, *_), told = filled(tmp_path, export, "Jane Doe")

    assert (len(header), jane[SCORE]) == (9, "25")
    assert "no column for comments was recognised" in told


def test_of_two_columns_with_known_headings_the_first_counts(tmp_path: Path) -> None:
    """A teacher's own column may be called like a grade in another language."""
    lines = worksheet("en").splitlines()
    export = "\n".join([f"{lines[0]},Note", *(f"{each},mine" for each in lines[1:])])

    (_, jane, *_), _ = filled(tmp_path, export, "Jane Doe")

    assert (jane[SCORE], jane[-1]) == ("25", "mine")


@pytest.mark.parametrize(
    "heading",
    ["Vorname;Nachname;ID-Nummer;E-Mail-Adresse", "Prénom;Nom de famille;Numéro d’identification;"
     "Adresse de courriel", "Nombre;Apellido(s);Número de ID;Dirección de correo"],
)  # fmt: skip
def test_the_gradebook_is_known_by_its_headings(tmp_path: Path, heading: str) -> None:
    export = f"{heading};Test 1;Kurs\nJane;Doe;S1;jane@uni;5;1\n=Ann;Li;S2;ann@uni;6;1\n"

    (header, jane, ann), _ = filled(tmp_path, export, "Jane Doe")

    assert header == [*heading.split(";"), "Attention kata", "Attention kata (feedback)"]
    assert jane[4:] == ["2", "ex01 2/4."]
    assert ann == ["'=Ann", "Li", "S2", "ann@uni", "", ""]


FORMULAS = {
    "Moodle's gradebook": "First name,Last name,Email address\nJane,Doe,=1+1\n",
    "Moodle's worksheet": (
        "Identifier,Full name,Email address,Grade,Maximum Grade\nParticipant 1,Jane Doe,=1+1,,4\n"
    ),
    "Canvas": 'Student,ID,SIS User ID,Section\n    Points Possible,,,\n"Doe, Jane",1,1,=1+1\n',
}


@pytest.mark.parametrize("export", FORMULAS.values(), ids=FORMULAS)
def test_no_column_that_people_fill_has_a_formula(tmp_path: Path, export: str) -> None:
    table, _ = filled(tmp_path, export, "Jane Doe")

    cells = [cell for row in table for cell in row]
    assert "'=1+1" in cells
    assert "=1+1" not in cells


def test_a_table_that_is_too_long_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheet, "MOST_ROWS", 2)

    with pytest.raises(UserError, match="has more than 2 rows"):
        filled(tmp_path, worksheet("en"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "names.csv")

    with pytest.raises(UserError, match="is no plain file"):
        sheet.read(tmp_path / "names.csv")
