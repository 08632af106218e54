"""The name of a student's file, safe on every system whatever the student is called."""

import re
from hashlib import sha256

MOST = 100  # bytes; every disk takes that with a suffix
PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³")
DEVICES = {"con", "prn", "aux", "nul", *PORTS}  # reserved by Windows, with any suffix
MARKED = re.compile(r".*-[0-9a-f]{8}", re.IGNORECASE | re.DOTALL)  # could be another's


def stem(student: str) -> str:
    """The name itself if every system allows it for a file; else most of it with a hash."""
    plain = re.sub(r"[^\w .-]|[^\S ]", "_", student)
    safe = _cut(plain).strip(" .-") or "student"
    device = safe.split(".")[0].rstrip().casefold() in DEVICES
    if safe == student and not device and not MARKED.fullmatch(safe):
        return safe
    mark = sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'_' * device}{safe}-{mark}"


def _cut(name: str) -> str:
    return name.encode("utf-8", "replace")[:MOST].decode("utf-8", "ignore")
