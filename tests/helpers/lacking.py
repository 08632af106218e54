"""Run a command on a system that lacks something, for which seccomp answers. A script.

    lacking.py landlock,seccomp -- COMMAND

It can lack Landlock, seccomp, and sockets that keep messages apart, as on macOS.
"""

import ctypes
import os
import struct
import sys
from errno import EINVAL, ENOSYS, EPROTONOSUPPORT
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from kata.inside import locks  # the path comes first
from kata.inside.locks import EQUAL, LOAD, numbers

COLUMN = locks.MACHINES.get(os.uname().machine, (0, 0))[1]
CALLS = numbers("prctl 157 167, seccomp 317 277, socketpair 53 199", COLUMN)
LAST_BITS, KIND, PACKETS = 0x54, 0xF, 5  # of a socket: SOCK_SEQPACKET


def lacking(what: str) -> bytes:
    """The lines of a program for one of these."""
    if what == "landlock":
        calls = (locks.CREATE_RULESET, locks.ADD_RULE, locks.RESTRICT_SELF)
        return locks._any_of(calls, locks._refuse(ENOSYS))
    if what == "seccomp":
        refused = locks._when(EQUAL, locks.SET_SECCOMP, locks._refuse(EINVAL)) + locks.ALLOW
        return locks._when(EQUAL, CALLS["seccomp"], locks._refuse(EINVAL)) + locks._when(
            EQUAL, CALLS["prctl"], locks._argument(0) + refused
        )
    assert what == "pairs"
    kind = locks._argument(1) + locks._line(LAST_BITS, KIND)
    refused = locks._when(EQUAL, PACKETS, locks._refuse(EPROTONOSUPPORT)) + locks.ALLOW
    return locks._when(EQUAL, CALLS["socketpair"], kind + refused)


def main(what: str, _: str, *command: str) -> None:
    """Replace this process by the command."""
    lines = b"".join(map(lacking, what.split(",")))
    program = locks._line(LOAD, locks.NUMBER) + lines + locks.ALLOW
    text = ctypes.create_string_buffer(program, len(program))
    locks._prctl(locks.SET_NO_NEW_PRIVILEGES, 1) if os.getuid() else None
    told = struct.pack("HP", len(program) // 8, ctypes.addressof(text))
    assert locks._libc().prctl(locks.SET_SECCOMP, 2, told, 0, 0) == 0
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
