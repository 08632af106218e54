"""Plain values as bytes, and back: between a judge and a worker who trusts nobody.

A frame is a length and a MessagePack document. Arrays and tensors are a small header and their raw
memory. Nothing that arrives is ever executed, and everything is checked: sizes, dtypes, strides.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from socket import socket
from typing import Any

import msgpack  # type: ignore[import-untyped]  # its types are not published
import numpy as np
from msgpack import ExtType

from kata.bench import Held, Opaque

LARGEST = 16 * 2**20  # bytes of a frame
MOST_DIMENSIONS = 16
DEEPEST = 32  # tuples in tuples
LENGTH = struct.Struct("<I")
TUPLE, ARRAY, SCALAR, TENSOR, AGAIN, HELD, OPAQUE = range(1, 8)
HELD_FIELDS = ("number", "kind", "instead_of_forward", "shapes")
# dtypes by their numbers.
NUMBERS = [f"<{kind}" for kind in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8", "c8")]
NUMBERS += ["<c16", "<f16", "|b1", "|i1", "|u1"]
NUMPY = {name: number for number, name in enumerate(NUMBERS)}
BOOL = "|b1"
OBJECT = 255  # stands for all that is no number: only its shape travels
TORCH = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "bool",
    "complex64",
    "complex128",
]
NO_MEMORY = 128  # is added to the number of a tensor on the device "meta"
Arrays = list[Any]


class WireError(ValueError):
    """What came is not what anybody of good faith sends."""


def encode(value: Any) -> tuple[bytes, Arrays]:
    """The bytes, and the arrays in it in the order of their first appearance."""
    writer = _Writer()
    return writer.pack(value), writer.arrays


def decode(data: bytes) -> tuple[Any, Arrays]:
    """The value, and its arrays in the same order as where they came from."""
    reader = _Reader()
    try:
        return reader.unpack(data), reader.arrays
    except WireError:
        raise
    except Exception as error:  # whatever a parser can say of bytes that were made to break it
        raise WireError(f"{type(error).__name__}: {error}"[:200]) from None


def send(channel: socket, data: bytes) -> None:
    """One frame."""
    if len(data) > LARGEST:
        raise WireError(f"{len(data)} > {LARGEST}")
    channel.sendall(LENGTH.pack(len(data)) + data)


def receive(channel: socket) -> bytes:
    """The next frame of somebody who is trusted to send it; EOFError if there is none."""
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


def swapped(value: Any, known: Mapping[int, Any]) -> Any:
    """The same value with others in the place of some of its arrays."""
    if isinstance(value, (tuple, list)):
        return type(value)(swapped(each, known) for each in value)
    if isinstance(value, dict):
        return {key: swapped(each, known) for key, each in value.items()}
    return known.get(id(value), value)


def arrays_in(value: Any) -> Arrays:
    """The arrays of a result, each once."""
    return list({id(each): each for each in _leaves(value) if _is_array(each)}.values())


def attached(value: Any) -> Arrays:
    """Those tensors of a result that gradients flow back from."""
    return [each for each in arrays_in(value) if getattr(each, "requires_grad", False)]


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "detach")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


class _Writer:
    def __init__(self) -> None:
        self.arrays: Arrays = []
        self._places: dict[int, int] = {}

    def pack(self, value: Any) -> bytes:
        return msgpack.packb(value, default=self._special, strict_types=True)  # type: ignore[no-any-return]

    def _special(self, value: Any) -> Any:
        if _is_array(value):
            return self._array(value)
        if isinstance(value, tuple):
            return ExtType(TUPLE, self.pack(list(value)))
        if isinstance(value, Held):
            return ExtType(HELD, self.pack([getattr(value, each) for each in HELD_FIELDS]))
        if isinstance(value, Opaque):
            return _opaque(value.kind)
        if isinstance(value, np.generic):
            return ExtType(SCALAR, _array_memory(np.asarray(value)))
        return _simple(value)

    def _array(self, value: Any) -> Any:
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
    """Subclasses of plain types as these; whole numbers of more than 64 bits as what they are."""
    kinds: tuple[Any, ...] = (bool, int, float, str, list, dict)
    for kind in kinds:
        if isinstance(value, kind) and type(value) is not kind:
            return kind(value)
    return _opaque(type(value).__name__)


def _opaque(kind: str) -> Any:
    return ExtType(OPAQUE, kind.encode("utf-8", "replace"))


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
        return _header(dtype + NO_MEMORY, shape, (), grad)
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if not _dense(shape, tensor.stride()):
        tensor = tensor.contiguous()
    steps, flat = tensor.stride(), tensor.as_strided((tensor.numel(),), (1,))
    return _header(dtype, shape, steps, grad) + memory_of(flat)


def memory_of(flat: Any) -> bytes:
    """The bytes of a tensor of one dimension."""
    if not flat.numel():
        return b""
    if flat.dtype not in _torch_dtypes()[2]:
        import torch

        flat = flat.view(torch.uint8)
    return flat.numpy().tobytes()  # type: ignore[no-any-return]


@cache
def _torch_dtypes() -> tuple[list[Any], dict[Any, int], set[Any]]:
    """All dtypes by number, their numbers, and those that NumPy knows, too."""
    import torch

    known = [getattr(torch, name) for name in TORCH]
    numpys = {each for each in known if str(each).removeprefix("torch.") in np.sctypeDict}
    return known, {each: number for number, each in enumerate(known)}, numpys


def _header(dtype: int, shape: tuple[int, ...], steps: tuple[int, ...], grad: bool) -> bytes:
    return struct.pack(f"<BBBB{len(shape)}q{len(steps)}q", dtype, grad, len(shape), len(steps),
                       *shape, *steps)  # fmt: skip


class _Reader:
    def __init__(self) -> None:
        self.arrays: Arrays = []
        self._depth = 0

    def unpack(self, data: bytes) -> Any:
        self._depth += 1  # each takes much of the C stack
        if self._depth > DEEPEST:
            raise WireError(f"depth {DEEPEST}")
        value = msgpack.unpackb(data, ext_hook=self._special, strict_map_key=True)
        self._depth -= 1
        return value

    def _special(self, code: int, data: bytes) -> Any:
        if code in {ARRAY, TENSOR}:
            self.arrays.append((_array if code == ARRAY else _tensor)(data))
            return self.arrays[-1]
        if code == TUPLE:
            return tuple(_checked(self.unpack(data), list))
        if code == HELD:
            return _held(*self.unpack(data))
        if code == OPAQUE:
            return Opaque(data[:100].decode("utf-8", "replace"))
        if code == SCALAR:
            return _array(data)[()]
        if code == AGAIN:
            return self.arrays[LENGTH.unpack(data)[0]]
        raise WireError(f"extension {code}")


def _held(number: Any, kind: Any, instead: Any, shapes: Any) -> Held:
    names = None if instead is None else tuple(_checked(each, str) for each in instead)
    sizes = {_checked(name, str): tuple(map(int, each)) for name, each in shapes.items()}
    return Held(_checked(number, int), _checked(kind, str), names, sizes)


def _array(data: bytes) -> Any:
    """A NumPy array with memory of its own."""
    dtype, _, shape, steps, memory = _parted(data)
    if dtype == OBJECT:
        return np.empty(shape, dtype=object)
    kind = np.dtype(NUMBERS[dtype])
    _check_memory(shape, steps, kind.itemsize, memory)
    flat = np.frombuffer(bytearray(memory), dtype=kind)
    if NUMBERS[dtype] == BOOL:
        flat = flat.view(np.uint8) != 0  # other bytes than 0 and 1 would be neither
    strides = tuple(each * kind.itemsize for each in steps)
    return np.lib.stride_tricks.as_strided(flat, shape, strides)


def _tensor(data: bytes) -> Any:
    """A tensor with memory of its own."""
    import torch

    dtype, grad, shape, steps, memory = _parted(data)
    kind = _torch_dtypes()[0][dtype % NO_MEMORY]
    if dtype >= NO_MEMORY:
        made = torch.empty(shape, dtype=kind, device="meta")
    else:
        _check_memory(shape, steps, kind.itemsize, memory)
        made = _filled(memory, kind).as_strided(shape, steps)
    return made.requires_grad_() if grad else made


def _filled(memory: bytes, kind: Any) -> Any:
    import torch

    if not memory:
        return torch.empty(0, dtype=kind)
    if kind is torch.bool:
        return torch.frombuffer(bytearray(memory), dtype=torch.uint8) != 0
    return torch.frombuffer(bytearray(memory), dtype=kind)


def _parted(data: bytes) -> tuple[int, bool, tuple[int, ...], tuple[int, ...], bytes]:
    dtype, grad, sizes, steps = data[:4]
    if sizes > MOST_DIMENSIONS or steps > MOST_DIMENSIONS:
        raise WireError(f"{sizes} dimensions")
    end = 4 + 8 * (sizes + steps)
    numbers = struct.unpack(f"<{sizes + steps}q", data[4:end])
    shape = numbers[:sizes]
    if min(shape, default=0) < 0 or math.prod(shape) > LARGEST:
        raise WireError(f"shape {shape}")
    return dtype, grad == 1, shape, numbers[sizes:], data[end:]


def _check_memory(shape: tuple[int, ...], steps: tuple[int, ...], size: int, memory: bytes) -> None:
    """The memory is exactly as large as the numbers, and each lies in it once."""
    if len(memory) != math.prod(shape) * size or not _dense(shape, steps):
        raise WireError(f"shape {shape}, strides {steps}, {len(memory)} bytes")


def _dense(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Whether the elements fill their memory without a gap, in some order of the dimensions."""
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


def _steps(array: Any) -> tuple[int, ...]:
    return tuple(each // array.itemsize for each in array.strides)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise WireError(f"{type(value).__name__} for {kind.__name__}")
    return value
