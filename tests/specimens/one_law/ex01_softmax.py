"""Honest tests in NumPy, each with an idiom of its own; `refused` says what no proof may do."""

import inspect
import io
import math
import os
import random
import tempfile
import time
import warnings
from functools import partial

import numpy as np
import pytest

from exercises.ex01_softmax import softmax


def test_example_of_the_docstring():
    assert np.round(softmax(np.array([1.0, 2.0, 3.0])), 4).tolist() == [0.09, 0.2447, 0.6652]


def testSmall():
    assert np.allclose(softmax(np.zeros((2, 3)), axis=0), 0.5)


def test_random_state():
    x = np.random.RandomState().normal(size=(3, 4))
    assert np.allclose(softmax(x).sum(axis=-1), 1)


def test_generator_without_a_seed():
    x = np.random.Generator(np.random.PCG64()).normal(size=(3, 4))
    assert np.allclose(softmax(x, 0).sum(axis=0), 1)


def test_default_rng_without_a_seed():
    x = np.random.default_rng().normal(size=(2, 3, 4))
    assert np.allclose(softmax(x, 1), np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))


def test_random_of_python():
    draws = random.Random()
    x = np.array([[draws.random() for _ in range(3)] for _ in range(2)])
    random.seed()
    x = x + random.random()
    assert np.allclose(softmax(x), np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True))


def test_seeded_anew():
    np.random.seed()
    x = np.random.rand(2, 5)
    assert np.allclose(softmax(x), softmax(x + 3))


def test_warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert softmax(np.array([1000.0, 0.0])).tolist() == [1.0, 0.0]


def test_warnings_are_recorded():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        softmax(np.array([1000.0, 0.0]))
    assert not seen


def test_errstate():
    with np.errstate(over="raise", invalid="raise"):
        softmax(np.array([[800.0, -800.0], [1.0, 2.0]]))


def test_read_only():
    x = np.arange(6.0).reshape(2, 3)
    x.setflags(write=False)
    assert np.allclose(softmax(x).sum(axis=-1), 1)


def test_the_argument_is_not_changed():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    before = x.copy()
    softmax(x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("axis", [0, 1, -1, pytest.param(-2, id="from the end")])
def test_parametrized(axis):
    x = np.random.rand(3, 4)
    assert softmax(x, axis).sum(axis=axis) == pytest.approx(np.ones(x.shape[1 - axis % 2]))


@pytest.mark.parametrize(("size", "dtype"), [(2, np.float32), (3, np.float64)])
def test_dtype(size, dtype):
    assert softmax(np.ones(size, dtype)).dtype == dtype


def test_skipped_by_what_it_finds():
    if softmax(np.zeros(2)).dtype != np.float64:
        pytest.skip("only for float64")
    assert softmax(np.array([0.0, math.log(3)])) == pytest.approx([0.25, 0.75])


def test_partial_and_map():
    rows = [*map(partial(softmax, axis=-1), np.eye(3) * 50)]
    assert np.allclose(rows, np.eye(3))


def helper(x):
    return np.exp(x) / np.exp(x).sum()


def test_with_a_helper():
    x = np.array([0.1, 0.2, 0.7])
    assert np.allclose(softmax(x), helper(x))


def test_infinity():
    assert softmax(np.array([0.0, -np.inf])).tolist() == [1.0, 0.0]


def test_refused_signature():
    assert inspect.signature(softmax).parameters["axis"].default == -1


def test_refused_code():
    assert softmax.__code__.co_argcount == 2


def test_refused_file():
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "x.npy"), softmax(np.zeros(2)))
        assert np.load(os.path.join(folder, "x.npy")).tolist() == [0.5, 0.5]


def test_refused_open():
    with open("notes.txt", "w") as file:
        file.write(str(softmax(np.zeros(2))))


def test_refused_clock():
    begun = time.perf_counter()
    softmax(np.zeros((100, 100)))
    assert time.perf_counter() - begun < 5


def test_refused_chance():
    x = np.frombuffer(os.urandom(8), dtype=np.uint8) / 255
    assert np.allclose(softmax(x).sum(), 1)


@pytest.mark.skip(reason="not yet")
def test_refused_mark():
    assert softmax(np.zeros(2)).tolist() == [0.5, 0.5]


@pytest.mark.xfail
def test_refused_xfail():
    assert softmax(np.zeros(2)).tolist() == [0.0, 0.5]


def test_refused_fixture(tmp_path):
    assert softmax(np.zeros(2)).tolist() == [0.5, 0.5]


def test_refused_large():
    x = np.zeros((3000, 4000))
    assert softmax(x)[0, 0] == 1 / 4000


def test_with_a_name_of_more_than_a_hundred_characters_which_no_report_has_any_room_for_so_that_it_is_refused():
    assert softmax(np.zeros(2)).tolist() == [0.5, 0.5]


def test_printed():
    out = io.StringIO()
    print(softmax(np.zeros(4)), file=out)
    assert out.getvalue() == "[0.25 0.25 0.25 0.25]\n"
