"""What travels between a judge and a worker arrives as it was, or not at all."""

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgpack
import numpy as np
import pytest

from kata.inside import wire
from kata.inside.objects import ModuleRef, Opaque
from kata.inside.wire import WireError, decode, encode
from tests.helpers.later import torch

PLAIN = (*(None, True, 0, -(2**63), 2**64 - 1, -(2**64), 2**1023 - 1, 0.1, float("inf"), "", "é\0"),
         *(b"", [], {}, {"a": [1]}, (1, (2, [3])), [(), []], {"x": (1.5,)}))  # fmt: skip


def received(value: Any) -> Any:
    return decode(encode(value)[0])[0]


def test_plain_values_arrive_as_they_are() -> None:
    for value in PLAIN:
        copy, arrays = decode(encode(value)[0])

        assert (copy, type(copy), arrays) == (value, type(value), [])


def test_tensors_of_every_dtype() -> None:
    for name in wire.TORCH:
        value = torch.arange(24).reshape(2, 3, 4).to(getattr(torch, name))
        tensor = received(value)

        assert tensor.dtype is value.dtype
        assert tensor.equal(value), name


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "in order": lambda x: x, "transposed": lambda x: x.swapaxes(0, 2),
    "every second": lambda x: x[:, ::2], "one row": lambda x: x[1, 2],
    "a number": lambda x: x[1, 2, 3], "nothing": lambda x: x[:, :0],
    "with a size of one": lambda x: x[:, :1].swapaxes(0, 1),
}  # fmt: skip


def test_memory_stays_in_its_order() -> None:
    """What cannot be viewed here cannot be viewed there."""
    for layout, of in LAYOUTS.items():
        tensor = of(torch.randn(2, 3, 4))
        array = np.asarray(of(np.random.default_rng(0).random((2, 3, 4))))

        given = tensor.clone()  # as a suite gives it to the learner's code
        sent = received(given)
        assert sent.equal(tensor), layout
        assert (layout, sent.stride()) == (layout, given.stride())
        gappy = received(tensor)  # as a suite gives it what a call has returned
        assert gappy.equal(tensor), layout
        assert (layout, gappy.stride()) == (layout, tensor.stride())
        copy = received(array) if array.ndim else array
        assert np.array_equal(copy, array), layout
        assert copy.flags.c_contiguous == array.copy(order="K").flags.c_contiguous, layout


def test_an_array_that_is_sent_twice_is_one() -> None:
    x, n = torch.ones(2), np.ones(2)

    copy, arrays = decode(encode([x, {"again": x}, n, (n,)])[0])

    assert copy[0] is copy[1]["again"]
    assert copy[2] is copy[3][0]
    assert arrays == [copy[0], copy[2]]


def test_gradients_that_are_asked_for_and_memory_that_is_not_there() -> None:
    leaf, constant, meta = received([
        torch.ones(2, requires_grad=True), torch.ones(2),
        torch.empty(10**9, 10**3, device="meta")[:2],
    ])  # fmt: skip

    assert (leaf.requires_grad, constant.requires_grad) == (True, False)
    assert (meta.is_meta, meta.shape) == (True, (2, 1000))


def test_of_anything_else_the_kind_arrives() -> None:
    kinds = {"set": {1, 2}, "int of 1024 bits": 2**1023, "object": object(), "builtin": print}
    for kind, value in kinds.items():
        opaque = received([value])[0]

        assert isinstance(opaque, Opaque), kind
        assert opaque.kind.startswith(kind)


def test_modules_scalars_and_objects_that_stay_where_they_are() -> None:
    held = ModuleRef(3, "Net", ("foward",), {"w": (2, 3)})
    module, scalar, opaque, objects = received(
        [held, np.float32(1.5), Opaque("Net"), np.array([print, {}], dtype=object)]
    )

    assert (module, module.shapes) == (held, held.shapes)
    assert (scalar, type(scalar)) == (np.float32(1.5), np.float32)
    assert opaque.kind == "Net"
    assert (objects.dtype, objects.tolist()) == (object, [None, None])


def tensor(*numbers: int, memory: bytes = b"", dtype: int = 2, steps: int = 1) -> bytes:
    """A tensor as somebody of ill will writes it."""
    sizes = len(numbers) - steps
    head = struct.pack(f"<BBBB{len(numbers)}q", dtype, 0, sizes, steps, *numbers)
    return bytes(msgpack.packb(msgpack.ExtType(wire.TENSOR, head + memory)))


def deep(levels: int) -> bytes:
    """A tuple in a tuple in a tuple."""
    data = msgpack.packb([])
    for _ in range(levels):
        data = msgpack.packb([msgpack.ExtType(wire.TUPLE, data)])
    return bytes(msgpack.packb(msgpack.ExtType(wire.TUPLE, data)))


FORGED = {
    "less memory than numbers": tensor(4, 1, memory=bytes(8)),
    "more memory than numbers": tensor(1, 1, memory=bytes(8)),
    "a number that lies in another": tensor(2, 0, memory=bytes(8)),
    "numbers farther apart than any are sent": tensor(2, 2**20, memory=bytes(8)),
    "numbers apart, and more memory than they have": tensor(2, 5, memory=bytes(24)),
    "gaps in which other numbers lie": tensor(2, 3, 2, 2, memory=bytes(24), steps=2),
    "backwards": tensor(2, -1, memory=bytes(8)), "a size below nothing": tensor(-1, 1),
    "more numbers than there are": tensor(2**40, 1),
    "an overflow": tensor(2**62, 2**62, 4, 1, steps=2),
    "a dtype that is none": tensor(1, 1, memory=bytes(4), dtype=99),
    "too many dimensions": tensor(*[1] * 60, steps=30),
    "a header that ends early": msgpack.packb(msgpack.ExtType(wire.TENSOR, b"\2\0\7\7")),
    "no header": msgpack.packb(msgpack.ExtType(wire.ARRAY, b"")),
    "an array that was never sent": msgpack.packb(msgpack.ExtType(wire.AGAIN, bytes(4))),
    "an unknown extension": msgpack.packb(msgpack.ExtType(99, b"")),
    "a tuple that is none": msgpack.packb(msgpack.ExtType(wire.TUPLE, msgpack.packb({}))),
    "a module without a number": msgpack.packb(msgpack.ExtType(wire.HELD, msgpack.packb([None]))),
    "tuples without end": deep(200), "lists without end": b"\x91" * 100_000,
    "a list that is longer than it is": b"\xdd\xff\xff\xff\xff",
    "keys that are no texts": msgpack.packb({1: 2}), "nothing": b"",
    "two at once": msgpack.packb(1) * 2, "no MessagePack": b"\xc1",
}  # fmt: skip


def test_what_is_forged_is_no_value() -> None:
    values = {}
    for forged, content in FORGED.items():
        with suppress(WireError):
            values[forged] = decode(content)

    assert values == {}


def test_other_bytes_than_0_and_1_are_true() -> None:
    booleans = decode(tensor(3, 1, memory=b"\0\1\7", dtype=wire.TORCH.index("bool")))[0]

    assert booleans.tolist() == [False, True, True]
    assert int(booleans.sum()) == 2


def test_the_memory_is_ones_own() -> None:
    data = encode(torch.zeros(3))[0]
    copy = decode(data)[0]
    copy += 1

    assert decode(data)[0].tolist() == [0, 0, 0]


def test_an_array_of_too_many_dimensions_is_no_reply_that_a_judge_would_refuse() -> None:
    """Nobody tampers who returns one: the error says what is wrong."""
    with pytest.raises(wire.TooLargeError, match="a result of 17 dimensions exceeds the limit"):
        wire.encode(np.zeros((1,) * 17))

    assert wire.decode(wire.encode(np.zeros((1,) * 16))[0])[0].ndim == 16
