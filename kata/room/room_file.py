"""What survives a restart, if the leader wants it: one file, which only its owner may read."""

import json
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kata.errors import UserError
from kata.files import read_table, write_file
from kata.plain import decode, encode
from kata.room.keys import Keys
from kata.room.people import People, Person, Standing
from kata.room.reports import Report
from kata.state import kept_of

ROOM = ".open-room"
FORM = 1  # of the file; one in another form is refused


def kept_here() -> Path:
    """The file on the room that is opened in this folder."""
    return kept_of(Path.cwd(), ROOM)


def save(path: Path, people: People, keys: Keys, origin: str) -> None:
    """Replace the file in one step; raises UserError."""
    document = {
        "form": FORM, "origin": origin, "keys": asdict(keys), "saved": time.time(),
        "people": [_plain(person) for person in people.all.values()],
    }  # fmt: skip
    try:
        write_file(path, json.dumps(document), private=True)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None


def load(path: Path, people: People) -> tuple[Keys, str] | None:
    """Read who was there, the keys and the address; nothing without a file."""
    try:
        document = read_table(path)
        people.all = {entry["id"]: _person(entry) for entry in document["people"]}
        return Keys(**document["keys"]), str(document["origin"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UserError(f"{path} cannot be read, so nobody is remembered: {reason}") from None


def forget(path: Path) -> bool:
    """Delete the file; return whether there was one."""
    there = path.exists()
    with suppress(OSError):
        path.unlink()
    return there


def _plain(person: Person) -> dict[str, Any]:
    """The person as data, without the address and without any code."""
    return {
        **{name: getattr(person, name) for name in ("id", "token", "name", "joined", "heard")},
        "at": person.at,
        "standings": [
            [encode(standing.report), standing.since] for standing in person.standings.values()
        ],
        "met": [[*key, when] for key, when in person.met.items()],
        "counts": person.counts,
    }


def _person(entry: dict[str, Any]) -> Person:
    standings = [Standing(decode(Report, report), since) for report, since in entry["standings"]]
    return Person(
        **{name: entry[name] for name in ("id", "token", "name", "joined", "heard", "at")},
        address="",
        standings={standing.report.exercise: standing for standing in standings},
        met={(slug, mistake): when for slug, mistake, when in entry["met"]},
        counts=entry["counts"],
    )
