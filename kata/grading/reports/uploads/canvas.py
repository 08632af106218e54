"""upload-canvas.zip: feedback under the names that Canvas gave to what was handed in.

Canvas finds a student by the numbers in such a name, adds the file to the comments on the
submission, and shows it there under the student's own file name (app/models/assignment.rb,
`infer_comment_context_from_filename`). So the feedback takes the form that this name promises.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from kata.grading.collecting.exports import ANONYMOUS, CANVAS
from kata.grading.reports.feedback import pages
from kata.grading.reports.uploads import zips
from kata.verdict import ClassVerdict, SubmissionVerdict

PAGE = "feedback.html"
FENCE = "```"
ESCAPED = re.compile(r"(`+[^`]*`+)|\\([!-/:-@\[-`{-~])")  # code, which stays as it is; a sign
FORMS = {  # by the end of the name; the texts are a page in HTML and one in Markdown
    ".zip": lambda html, _: zips.zipped(PAGE, html.encode()),
    ".py": lambda _, text: _commented(text),
    ".txt": lambda _, text: text.encode(),
    ".ipynb": lambda _, text: _notebook(text),
}
Form = Callable[[str, str], bytes]


def write(found: ClassVerdict, grades: Path) -> None:
    """Write the zip."""
    zips.write(grades / "upload-canvas.zip", _files(found))


def name_of(verdict: SubmissionVerdict) -> str:
    """The name of this student's feedback in the zip; empty if Canvas did not name the work."""
    match = CANVAS.match(verdict.upload) or ANONYMOUS.match(verdict.upload)
    return verdict.upload if match and match.groupdict().get("order") else ""


def _files(found: ClassVerdict) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    for verdict in found.submissions():
        name = name_of(verdict)
        if name and name not in seen:  # of a group, all members have the same name
            seen.add(name)
            told = pages.of(verdict, found)
            yield name, form_of(name)(pages.text(told, "html"), pages.text(told, "md"))


def form_of(name: str) -> Form:
    """How feedback is written into a file of this name; as a page if nothing else fits."""
    fits = [form for end, form in FORMS.items() if name.casefold().endswith(end)]
    if not fits and ".t" in name.casefold():
        return lambda html, _: zips.tarred(PAGE, html.encode())
    return fits[0] if fits else lambda html, _: html.encode()


def _commented(text: str) -> bytes:
    """As comments of a Python file, where nothing needs the backslashes of Markdown."""
    lines, in_code = [], False
    for line in text.splitlines():
        in_code ^= line.startswith(FENCE)
        plain = line if in_code else ESCAPED.sub(lambda found: found[1] or found[2], line)
        lines.append(f"# {plain}".rstrip() + "\n")
    return "".join(lines).encode()


def _notebook(text: str) -> bytes:
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": text}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1).encode()
