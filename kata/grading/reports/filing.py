"""What the file of a student is called, whatever the student is called."""

import re
from hashlib import sha256

MOST = 100  # bytes; with a suffix every disk takes it
DEVICES = {"con", "prn", "aux", "nul", *(f"{a}{n}" for a in ("com", "lpt") for n in range(10))}


def stem(student: str) -> str:
    """The name itself where every system takes it as that of a file; else much of it and a mark."""
    plain = re.sub(r"[^\w .-]|[^\S ]", "_", student)
    safe = _cut(plain).strip(" .-") or "student"
    if safe == student and safe.casefold() not in DEVICES:
        return safe
    return f"{safe}-{sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _cut(name: str) -> str:
    return name.encode("utf-8", "replace")[:MOST].decode("utf-8", "ignore")
