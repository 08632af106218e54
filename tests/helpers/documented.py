"""What a page of docs/ says of a JSON document, beside its schema."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from kata.course.curriculum import ROOT


def guide() -> str:
    """All pages for instructors, the first one first."""
    docs = ROOT / "docs"
    pages = docs / "instructors.md", *sorted((docs / "grading").glob("*.md"))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def schema_at(path: Path) -> Draft202012Validator:
    """What checks documents against a schema, which is valid itself."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def complaints(path: Path, found: Any) -> list[str]:
    """What a schema says against a document."""
    return [f"{each.json_path}: {each.message}" for each in schema_at(path).iter_errors(found)]


def fields(schema: dict[str, Any], node: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths of all fields, as the documentation writes them."""
    for each in node.get("anyOf", [node]):
        option = schema["$defs"][each["$ref"].split("/")[-1]] if "$ref" in each else each
        if option.get("type") == "array":
            yield from fields(schema, option["items"], f"{path}[]")
        for name, inner in option.get("properties", {}).items():
            yield (own := f"{path}.{name}".removeprefix("."))
            yield from fields(schema, inner, own)


def fields_of(path: Path) -> list[str]:
    """Those of a schema, in its order."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    return list(fields(schema, schema))


def documented(text: str, name: str) -> list[str]:
    """The fields or columns in the table below `<!-- name -->`."""
    table = text.split(f"<!-- {name} -->")[1].split("\n## ", maxsplit=1)[0]
    return re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
