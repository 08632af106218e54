"""Plain values to bytes and back, between a judge and a worker that it does not trust.

A frame is a length and a MessagePack document. Arrays and tensors are a small header and their raw
memory. Nothing that arrives is ever executed, and everything is checked: sizes, dtypes, strides.
Both ends use it, for sessions and for proofs.
"""

import math
import struct
from collections.abc import Sequence
from functools import cache
from socket import socket
from typing import Any

import msgpack  # type: ignore[import-untyped]  # its types are not published
import numpy as np
from msgpack import ExtType

from kata.inside.conditions import MOST_NUMBERS
from kata.inside.objects import ModuleRef, Opaque

LARGEST = 16 * 2**20  # bytes of a frame
MOST_PARTS = 20_000  # lists, and their elements
LONGEST_TEXT = 10_000  # of an answer
SPARE = 16  # bytes beside each part of a frame
MOST_SPREAD = 16  # places in memory for each number of a tensor with gaps
LONGEST_KIND = 100  # the name of a class
LONGEST_INTEGER = 128  # bytes
MOST_DIMENSIONS = 16
DEEPEST = 32  # lists in lists
LENGTH = struct.Struct("<I")
TUPLE, ARRAY, SCALAR, TENSOR, AGAIN, HELD, OPAQUE, INTEGER = range(1, 9)
HELD_FIELDS = ("number", "kind", "instead_of_forward", "shapes")
# dtypes by their numbers.
NUMBERS = [f"<{kind}" for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8", "c8")]
NUMBERS += ["<c16", "<f16", "|b1", "|i1", "|u1"]
NUMPY = {name: number for number, name in enumerate(NUMBERS)}
BOOL = "|b1"
OBJECT = 255  # stands for all dtypes that are not numbers: only the shape is sent
TORCH = ["float16", "bfloat16", "float32", "float64"]
TORCH += ["uint8", "int8", "int16", "int32", "int64", "bool", "complex64", "complex128"]
ON_META = 128  # is added to the number of a tensor on the device "meta"
Arrays = list[Any]
Parted = tuple[int, bool, tuple[int, ...], tuple[int, ...], bytes]


class WireError(ValueError):
    """The data received is invalid."""


class TooLargeError(WireError):
    """The data sent or received exceeds the limits."""


def too_large(size: int) -> str:
    """Return the message about a result of so many bytes."""
    return f"a result of {size // 2**20} MiB exceeds the limit"


def encode(value: Any) -> tuple[bytes, Arrays]:
    """Write a value as bytes, and list its arrays in the order of their first appearance."""
    writer = _Writer()
    return writer.pack(value), writer.arrays


def decode(data: bytes) -> tuple[Any, Arrays]:
    """Read a value, and list its arrays in the same order as at the sender."""
    value, reader = _read(data, LARGEST)
    return value, reader.arrays


def taken_in(data: bytes) -> tuple[Any, int]:
    """Read an answer, and count the bytes that it takes once all its numbers are doubles."""
    value, reader = _read(data, LONGEST_TEXT)
    return value, len(data) + 8 * reader.numbers + 100 * reader.parts


def check(answer: bytes) -> bytes:
    """Return the same answer, if it is within the limits."""
    if len(answer) > LARGEST:
        raise TooLargeError(too_large(len(answer)))
    if len(answer) > LONGEST_TEXT:  # a shorter one has no part that is too large
        taken_in(answer)
    return answer


def _read(data: bytes, longest: int) -> "tuple[Any, _Reader]":
    reader = _Reader(longest)
    try:
        value = reader.unpack(data)
        _check_depth(value, DEEPEST)
    except WireError:
        raise
    except Exception as error:  # any error of a parser that reads hostile bytes
        raise WireError(f"{type(error).__name__}: {error}"[:200]) from None
    return value, reader


def _check_depth(value: Any, left: int) -> None:
    """Later code walks through the value recursively."""
    if isinstance(value, (tuple, list, dict)):
        if not left:
            raise WireError(f"depth {DEEPEST}")
        for part in value.values() if isinstance(value, dict) else value:
            _check_depth(part, left - 1)


def send(channel: socket, data: bytes) -> None:
    """Send one frame."""
    if len(data) > LARGEST:
        raise WireError(f"{len(data)} > {LARGEST}")
    channel.sendall(LENGTH.pack(len(data)) + data)


def receive(channel: socket) -> bytes:
    """Read the next frame from a trusted sender; EOFError if there is none."""
    (length,) = LENGTH.unpack(_exactly(channel, LENGTH.size))
    return _exactly(channel, length)


def _exactly(channel: socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        more = channel.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return bytes(data)


def frame(replies: list[bytes]) -> bytes:
    """Join the replies of one claim; none at all if they are too many."""
    fits = sum(map(len, replies)) + SPARE * len(replies) < LARGEST
    return msgpack.packb(replies if fits else [])  # type: ignore[no-any-return]


def replies(data: bytes) -> list[bytes]:
    """Part such a frame."""
    value, _ = _read(data, LONGEST_TEXT)
    return [_checked(reply, bytes) for reply in _checked(value, list)]


def is_dense(tensor: Any) -> bool:
    """Return whether the numbers of a tensor lie in memory without gaps or overlaps."""
    return _dense(tuple(tensor.shape), tensor.stride())


def span(shape: Sequence[int], steps: Sequence[int]) -> int:
    """Count the places in memory from the first element to the last one."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))


def is_array(value: Any) -> bool:
    """Return whether a value is an array of NumPy's or a tensor."""
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


class _Numbers:
    """A count of the numbers in the arrays of a frame."""

    numbers = 0

    def count(self, shape: Sequence[int]) -> None:
        """Count those of an array; raise if there are too many, before memory is allocated."""
        self.numbers += math.prod(filter(None, shape))  # some libraries overflow in spite of a 0
        if self.numbers > MOST_NUMBERS:
            raise TooLargeError(too_large(8 * self.numbers))


class _Writer(_Numbers):
    def __init__(self) -> None:
        self.arrays: Arrays = []
        self._places: dict[int, int] = {}

    def pack(self, value: Any) -> bytes:
        return msgpack.packb(value, default=self._special, strict_types=True)  # type: ignore[no-any-return]

    def _special(self, value: Any) -> Any:
        if is_array(value):
            return self._array(value)
        if isinstance(value, tuple):
            return ExtType(TUPLE, self.pack(list(value)))
        if isinstance(value, ModuleRef):
            return ExtType(HELD, self.pack([getattr(value, name) for name in HELD_FIELDS]))
        if isinstance(value, Opaque):
            return _opaque(value.kind)
        if isinstance(value, np.generic):
            return ExtType(SCALAR, _array_memory(np.asarray(value)))
        if type(value) is int:  # of more than 64 bits
            if value.bit_length() >= 8 * LONGEST_INTEGER:
                return _opaque(f"int of {value.bit_length()} bits")
            return ExtType(INTEGER, value.to_bytes(LONGEST_INTEGER, "little", signed=True))
        return _simple(value)

    def _array(self, value: Any) -> Any:
        if value.ndim > MOST_DIMENSIONS:
            raise TooLargeError(
                f"a result of {value.ndim} dimensions exceeds the limit of {MOST_DIMENSIONS}"
            )
        self.count(value.shape)
        if id(value) in self._places:
            return ExtType(AGAIN, LENGTH.pack(self._places[id(value)]))
        if not isinstance(value, np.ndarray):
            import torch

            if value.layout is not torch.strided or value.is_quantized:
                return _opaque(type(value).__name__)
        self._places[id(value)] = len(self.arrays)
        self.arrays.append(value)
        if isinstance(value, np.ndarray):
            return ExtType(ARRAY, _array_memory(value))
        return ExtType(TENSOR, _tensor_memory(value))


def _simple(value: Any) -> Any:
    """Subclasses of plain types as these types."""
    kinds: tuple[Any, ...] = (bool, int, float, str, list, dict)
    for kind in kinds:
        if isinstance(value, kind) and type(value) is not kind:
            return kind(value)
    return _opaque(type(value).__name__)


def _opaque(kind: str) -> Any:
    return ExtType(OPAQUE, kind[:LONGEST_KIND].encode("utf-8", "replace"))


def _array_memory(array: Any) -> bytes:
    if array.dtype.str not in NUMPY:
        return _header(OBJECT, array.shape, (), False)
    if not _dense(array.shape, _steps(array)):
        array = array.copy(order="C")
    head = _header(NUMPY[array.dtype.str], array.shape, _steps(array), False)
    memory: bytes = array.ravel("K").tobytes()
    return head + memory


def _tensor_memory(value: Any) -> bytes:
    """Header and memory; of a tensor without memory the shape alone."""
    dtype, shape, grad = _torch_dtypes()[1][value.dtype], tuple(value.shape), value.requires_grad
    tensor = value.detach()
    if tensor.is_meta:
        return _header(dtype + ON_META, shape, (), grad)
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    steps = tensor.stride()
    if not _dense(shape, steps):
        # What lies in the gaps is not sent: the numbers go in order, and are spread out again.
        tensor = tensor.contiguous()
        steps = steps if _has_gaps(shape, steps) else tensor.stride()
    flat = tensor.as_strided((tensor.numel(),), (1,))
    return _header(dtype, shape, steps, grad) + memory_of(flat)


def memory_of(flat: Any) -> bytes:
    """Return the bytes of a tensor of one dimension."""
    if not flat.numel():
        return b""
    if flat.dtype not in _torch_dtypes()[2]:
        import torch

        flat = flat.view(torch.uint8)
    return flat.numpy().tobytes()  # type: ignore[no-any-return]


@cache
def _torch_dtypes() -> tuple[list[Any], dict[Any, int], set[Any]]:
    """Return all dtypes by number, their numbers, and those that NumPy has as well."""
    import torch

    dtypes = [getattr(torch, name) for name in TORCH]
    numpys = {dtype for dtype, name in zip(dtypes, TORCH, strict=True) if name in np.sctypeDict}
    return dtypes, {dtype: number for number, dtype in enumerate(dtypes)}, numpys


def _header(dtype: int, shape: tuple[int, ...], steps: tuple[int, ...], grad: bool) -> bytes:
    return struct.pack(f"<BBBB{len(shape)}q{len(steps)}q", dtype, grad, len(shape), len(steps),
                       *shape, *steps)  # fmt: skip


class _Reader(_Numbers):
    def __init__(self, longest: int) -> None:
        self.arrays: Arrays = []
        self.parts = 0
        self._longest = longest
        self._depth = 0

    def unpack(self, data: bytes) -> Any:
        self._depth += 1  # every level takes much of the C stack
        if self._depth > DEEPEST:
            raise WireError(f"depth {DEEPEST}")
        value = msgpack.unpackb(
            data,
            ext_hook=self._special,
            list_hook=self._counted,
            object_hook=self._counted,
            max_array_len=MOST_PARTS,
            max_map_len=MOST_PARTS,
            max_str_len=self._longest,
        )
        self._depth -= 1
        return value

    def _counted(self, value: Any) -> Any:
        self.parts += 1 + len(value)
        if self.parts > MOST_PARTS:
            raise TooLargeError(f"a result of more than {MOST_PARTS} parts exceeds the limit")
        return value

    def _special(self, code: int, data: bytes) -> Any:
        if code in {ARRAY, TENSOR, SCALAR}:
            return self._number_or_array(code, _parted(data))
        if code == TUPLE:
            return tuple(_checked(self.unpack(data), list))
        if code == HELD:
            return _held(*self.unpack(data))
        if code == OPAQUE:
            return Opaque(data[:LONGEST_KIND].decode("utf-8", "replace"))
        if code == INTEGER:
            return int.from_bytes(data[:LONGEST_INTEGER], "little", signed=True)
        if code == AGAIN:
            array = self.arrays[LENGTH.unpack(data)[0]]
            self.count(array.shape)
            return array
        raise WireError(f"extension {code}")

    def _number_or_array(self, code: int, parted: Parted) -> Any:
        self.count(parted[2])
        if code == TENSOR and _has_gaps(*parted[2:4]):
            self.count([span(*parted[2:4])])
        if code == SCALAR:
            return _array(parted)[()]
        self.arrays.append((_array if code == ARRAY else _tensor)(parted))
        return self.arrays[-1]


def _held(number: Any, kind: Any, instead: Any, shapes: Any) -> ModuleRef:
    names = None if instead is None else tuple(_checked(name, str) for name in instead)
    sizes = {_checked(name, str): tuple(map(int, shape)) for name, shape in shapes.items()}
    return ModuleRef(_checked(number, int), _checked(kind, str), names, sizes)


def _array(parted: Parted) -> Any:
    """Make a NumPy array with memory of its own."""
    dtype, _, shape, steps, memory = parted
    if dtype == OBJECT:
        return np.empty(shape, dtype=object)
    kind = np.dtype(NUMBERS[dtype])
    _check_memory(shape, steps, kind.itemsize, memory)
    flat = np.frombuffer(bytearray(memory), dtype=kind)
    if NUMBERS[dtype] == BOOL:
        flat = flat.view(np.uint8) != 0  # other bytes than 0 and 1 would be neither
    strides = tuple(step * kind.itemsize for step in steps)
    return np.lib.stride_tricks.as_strided(flat, shape, strides)


def _tensor(parted: Parted) -> Any:
    """Make a tensor with memory of its own."""
    import torch

    dtype, grad, shape, steps, memory = parted
    kind = _torch_dtypes()[0][dtype % ON_META]
    if dtype >= ON_META:
        tensor = torch.empty(shape, dtype=kind, device="meta")
    else:
        gaps = _has_gaps(shape, steps)
        _check_memory(shape, _in_order(shape) if gaps else steps, kind.itemsize, memory)
        tensor = _filled(memory, kind)
        tensor = _spread(tensor, shape, steps) if gaps else tensor.as_strided(shape, steps)
    return tensor.requires_grad_() if grad else tensor


def _spread(flat: Any, shape: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    """Put the numbers in places that lie apart, with zeros between them."""
    import torch

    memory = torch.zeros(span(shape, steps), dtype=flat.dtype)
    return memory.as_strided(shape, steps).copy_(flat.reshape(shape))


def _filled(memory: bytes, kind: Any) -> Any:
    import torch

    if not memory:
        return torch.empty(0, dtype=kind)
    if kind is torch.bool:
        return torch.frombuffer(bytearray(memory), dtype=torch.uint8) != 0
    return torch.frombuffer(bytearray(memory), dtype=kind)


def _parted(data: bytes) -> Parted:
    """Return dtype, whether it asks for a gradient, shape, strides and memory."""
    dtype, grad, sizes, steps = data[:4]
    if sizes > MOST_DIMENSIONS or steps > MOST_DIMENSIONS:
        raise WireError(f"{sizes} dimensions")
    end = 4 + 8 * (sizes + steps)
    numbers = struct.unpack(f"<{sizes + steps}q", data[4:end])
    shape = numbers[:sizes]
    if min(shape, default=0) < 0:
        raise WireError(f"shape {shape}")
    return dtype, grad == 1, shape, numbers[sizes:], data[end:]


def _check_memory(shape: tuple[int, ...], steps: tuple[int, ...], size: int, memory: bytes) -> None:
    """Raise unless the memory is exactly as large as the numbers, and holds each of them once."""
    if len(memory) != math.prod(shape) * size or not _dense(shape, steps):
        raise WireError(f"shape {shape}, strides {steps}, {len(memory)} bytes")


def _dense(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Return whether elements fill their memory without a gap, in some order of dimensions."""
    if len(steps) != len(shape):
        return False
    if 0 in shape:
        return min(steps) >= 0
    expected = 1
    for step, size in sorted(zip(steps, shape, strict=True)):
        if size != 1:
            if step != expected:
                return False
            expected *= size
        elif step < 0:
            return False
    return True


def _has_gaps(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Return whether elements have places of their own, with gaps between them."""
    if len(steps) != len(shape) or 0 in shape or _dense(shape, steps) or min(steps) < 0:
        return False
    end = 1
    for step, size in sorted(zip(steps, shape, strict=True)):
        if size != 1 and step < end:
            return False
        end += (size - 1) * step
    return end <= MOST_SPREAD * math.prod(shape)


def _in_order(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a tensor with its elements in the order of their indices."""
    return tuple(math.prod(shape[place + 1 :]) for place in range(len(shape)))


def _steps(array: Any) -> tuple[int, ...]:
    return tuple(stride // array.itemsize for stride in array.strides)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise WireError(f"{type(value).__name__} for {kind.__name__}")
    return value
