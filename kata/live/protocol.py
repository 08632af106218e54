"""The protocol between a learner's machine and a room: addresses, sizes and signatures.

A message is signed with a token, which the room sends only in its answer to joining: nobody who
reads later messages can write another.
"""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from kata.errors import UserError

PORT = 8700
JOIN, WORK, SHARED, LEAVE = "/join", "/work", "/shared", "/leave"
LEARNER, SIGNATURE = "Kata-Learner", "Kata-Signature"  # headers
LARGEST_MESSAGE = 32 * 1024  # bytes
LARGEST_CODE = 32 * 1024  # bytes of a file for the leader
LONGEST_NAME = 40
A_DAY = 24 * 60 * 60  # seconds after which a learner has left without a word
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # of a code: none is easily read as another
MISREAD = str.maketrans("OIL", "011", "- ")


def signature(token: str, path: str, body: bytes) -> str:
    """Return the signature which proves that a message comes from the owner of the token."""
    return hmac.new(token.encode(), f"{path}\n".encode() + body, sha256).hexdigest()


def plain_code(code: str) -> str:
    """Return a room's code in its own letters, however it was typed."""
    return code.upper().translate(MISREAD)


@dataclass(frozen=True)
class Door:
    """The address of a room, and the code that opens it."""

    origin: str  # http://192.168.1.23:8700
    code: str


def door(address: str, code: str = "") -> Door:
    """Return the door that was typed: a link, or an address with a code."""
    link = address if "://" in address else f"http://{address}"
    try:
        parts = urlsplit(link)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else PORT)
    except ValueError:
        host, port = None, 0
    room_code = plain_code(code or parts.path.strip("/")) if host else ""
    if not room_code.isalnum() or parts.scheme not in {"http", "https"}:
        raise UserError(
            f"{address} is not the link of a room: it looks like "
            "http://192.168.1.23:8700/K7QM2XPA9D, as the leader shows it"
        )
    url_host = f"[{host}]" if ":" in str(host) else host
    return Door(f"{parts.scheme}://{url_host}:{port}", room_code)
