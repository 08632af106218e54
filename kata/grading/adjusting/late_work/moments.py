"""Times as people and platforms write them."""

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

WRITTEN = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[ T]+(?P<time>\d\d?:\d\d)(?P<seconds>:\d\d)?(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)?"
)
MOODLE = "%A, %d %B %Y, %I:%M %p"  # Sunday, 1 March 2026, 11:02 PM
DAY, MINUTE, SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)


def moment(text: str, zone: tzinfo | None = None) -> datetime:
    """The time in this text; without a zone of its own it is in `zone`, else in this machine's.

    Raises a ValueError if it is none.
    """
    return _period(text, zone)[0]


def end_of(text: str, zone: tzinfo | None = None) -> datetime:
    """The end of the day, minute or second that this text names."""
    start, length = _period(text, zone)
    return start + length


def zone_in(text: str) -> tzinfo | None:
    """The zone that this text names; None if it names none."""
    match = WRITTEN.fullmatch(text.strip())
    return _zone(match["zone"]) if match and match["zone"] else None


def _period(text: str, zone: tzinfo | None) -> tuple[datetime, timedelta]:
    """When it starts, and how long it is."""
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        return _in_zone(datetime.strptime(text.strip(), MOODLE), zone), MINUTE
    length = SECOND if match["seconds"] else MINUTE if match["time"] else DAY
    time = f"{match['time'] or '0:00'}{match['seconds'] or ':00'}"
    found = datetime.strptime(f"{match['day']} {time}", "%Y-%m-%d %H:%M:%S")
    return _in_zone(found, _zone(match["zone"]) if match["zone"] else zone), length


def _zone(name: str) -> tzinfo:
    if name in {"Z", "UTC"}:
        return timezone.utc  # noqa: UP017  # as `timezone` below
    if "/" in name:
        try:
            return ZoneInfo(name)
        except (KeyError, OSError) as error:  # ZoneInfoNotFoundError is a KeyError
            raise ValueError(name) from error
    hours, minutes = int(name[1:3]), int(name[-2:])
    ahead = timedelta(hours=hours, minutes=minutes)
    return timezone(ahead if name[0] == "+" else -ahead)


def _in_zone(found: datetime, zone: tzinfo | None) -> datetime:
    return found.replace(tzinfo=zone) if zone else found.astimezone()
