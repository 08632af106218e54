"""upload-canvas.zip: feedback under the names that Canvas gave to what was handed in.

Canvas finds a student by the numbers in such a name, adds the file to the comments on the
submission, and shows it there under the student's own file name (app/models/assignment.rb,
`infer_comment_context_from_filename`). So the feedback takes the form that this name promises.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from kata.class_verdict import ClassVerdict, SubmissionVerdict
from kata.grading.collecting.exports import ANONYMOUS, CANVAS
from kata.grading.reports.feedback import pages
from kata.grading.reports.uploads import zips

PAGE = "feedback.html"
FENCE = "```"
ESCAPED = re.compile(r"(`+[^`]*`+)|\\([!-/:-@\[-`{-~])")  # code, which stays as it is; a sign
FORMS = {  # by the end of the name; the texts are a page in HTML and one in Markdown
    ".zip": lambda html, _: zips.zipped(PAGE, html.encode()),
    ".py": lambda _, text: _commented(text),
    ".txt": lambda _, text: text.encode(),
    ".ipynb": lambda _, text: _notebook(text),
    **dict.fromkeys((".html", ".htm"), lambda html, _: html.encode()),
    **dict.fromkeys((".tar", ".tgz", ".tar.gz", ".tbz2", ".tbz", ".tar.bz2", ".txz", ".tar.xz"),
                    lambda html, _: zips.tarred(PAGE, html.encode())),
}  # fmt: skip
Form = Callable[[str, str], bytes]


def write(found: ClassVerdict, grades: Path) -> None:
    """Write the zip."""
    zips.write(grades / "upload-canvas.zip", _files(found))


def name_of(verdict: SubmissionVerdict) -> str:
    """The name of this student's feedback in the zip; empty if there is none that fits."""
    match = CANVAS.match(verdict.upload) or ANONYMOUS.match(verdict.upload)
    named = bool(match and match.groupdict().get("order"))
    return verdict.upload if named and form_of(verdict.upload) else ""


def is_unfit(verdict: SubmissionVerdict) -> bool:
    """Whether Canvas would show a page under a name like `homework.pdf`, as a damaged file."""
    return bool(CANVAS.match(verdict.upload) and not form_of(verdict.upload))


def _files(found: ClassVerdict) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    for verdict in found.submissions():
        name = name_of(verdict)
        form = form_of(name)
        if form and name not in seen:  # of a group, all members have the same name
            seen.add(name)
            told = pages.of(verdict, found)
            yield name, form(pages.text(told, "html"), pages.text(told, "md"))


def form_of(name: str) -> Form | None:
    """How feedback is written into a file of this name; None if it would be a damaged one."""
    return next((form for end, form in FORMS.items() if name.casefold().endswith(end)), None)


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
