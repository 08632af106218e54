"""Keys: the code that learners type, the leader's key, and the tokens that sign messages."""

import hmac
import secrets
from dataclasses import dataclass

from kata.learner.attending.protocol import LETTERS, plain_code

CODE_LENGTH = 10  # 50 bits: at the rate at which a room answers, centuries of guessing


@dataclass(frozen=True)
class Keys:
    """What opens a room: the code for learners and projectors, the key for its leader."""

    code: str
    leader: str

    def lets_in(self, code: str) -> bool:
        """Whether this is the room's code."""
        return _same(plain_code(code), self.code)

    def is_leader(self, key: str) -> bool:
        """Whether this is the leader's key."""
        return _same(key, self.leader)


def new_keys() -> Keys:
    """New keys, for a room that opens."""
    return Keys("".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH)), token())


def token() -> str:
    """A token for one learner, or for the leader."""
    return secrets.token_urlsafe(24)


def _same(one: str, other: str) -> bool:
    """Compare in a time that does not tell how much is right."""
    return hmac.compare_digest(one.encode(), other.encode())
