"""Against "it has no network": TCP, UDP, names, sockets of unix, with and without a name."""

import ctypes
import http.client
import socket
import urllib.request

PORT = 40404
_libc = ctypes.CDLL(None)


def _unix(name):
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(name)
        line.sendall(b"kata was here")


def _udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"kata was here", ("127.0.0.1", PORT))


def _raw():
    assert _libc.syscall(41, 2, 1, 0) >= 0


ATTEMPTS = [lambda: socket.create_connection(("127.0.0.1", PORT), 1).sendall(b"kata was here"),
            lambda: socket.getaddrinfo("example.org", 80), lambda: _unix("\0kata-40404"), _udp, _raw,
            lambda: _unix("/CLASS/line"), lambda: urllib.request.urlopen(f"http://localhost:{PORT}"),
            lambda: http.client.HTTPConnection("127.0.0.1", PORT, timeout=1).request("GET", "/"),
            lambda: socket.create_server(("", 0)), socket.socketpair]


def softmax(scores, axis=-1):
    done = []
    for number, attempt in enumerate(ATTEMPTS):
        try:
            attempt()
            done.append(number)
        except (OSError, AssertionError):
            continue
    raise RuntimeError(f"done: {done}")
