"""Has sixty tests, each of which fails once in a while."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


os = __import__("os")

for number in range(5):
    pass

def test_0():
    assert os.urandom(1)[0] > 2


def test_1():
    assert os.urandom(1)[0] > 2


def test_2():
    assert os.urandom(1)[0] > 2


def test_3():
    assert os.urandom(1)[0] > 2


def test_4():
    assert os.urandom(1)[0] > 2


def test_5():
    assert os.urandom(1)[0] > 2


def test_6():
    assert os.urandom(1)[0] > 2


def test_7():
    assert os.urandom(1)[0] > 2


def test_8():
    assert os.urandom(1)[0] > 2


def test_9():
    assert os.urandom(1)[0] > 2


def test_10():
    assert os.urandom(1)[0] > 2


def test_11():
    assert os.urandom(1)[0] > 2


def test_12():
    assert os.urandom(1)[0] > 2


def test_13():
    assert os.urandom(1)[0] > 2


def test_14():
    assert os.urandom(1)[0] > 2


def test_15():
    assert os.urandom(1)[0] > 2


def test_16():
    assert os.urandom(1)[0] > 2


def test_17():
    assert os.urandom(1)[0] > 2


def test_18():
    assert os.urandom(1)[0] > 2


def test_19():
    assert os.urandom(1)[0] > 2


def test_20():
    assert os.urandom(1)[0] > 2


def test_21():
    assert os.urandom(1)[0] > 2


def test_22():
    assert os.urandom(1)[0] > 2


def test_23():
    assert os.urandom(1)[0] > 2


def test_24():
    assert os.urandom(1)[0] > 2


def test_25():
    assert os.urandom(1)[0] > 2


def test_26():
    assert os.urandom(1)[0] > 2


def test_27():
    assert os.urandom(1)[0] > 2


def test_28():
    assert os.urandom(1)[0] > 2


def test_29():
    assert os.urandom(1)[0] > 2


def test_30():
    assert os.urandom(1)[0] > 2


def test_31():
    assert os.urandom(1)[0] > 2


def test_32():
    assert os.urandom(1)[0] > 2


def test_33():
    assert os.urandom(1)[0] > 2


def test_34():
    assert os.urandom(1)[0] > 2


def test_35():
    assert os.urandom(1)[0] > 2


def test_36():
    assert os.urandom(1)[0] > 2


def test_37():
    assert os.urandom(1)[0] > 2


def test_38():
    assert os.urandom(1)[0] > 2


def test_39():
    assert os.urandom(1)[0] > 2


def test_40():
    assert os.urandom(1)[0] > 2


def test_41():
    assert os.urandom(1)[0] > 2


def test_42():
    assert os.urandom(1)[0] > 2


def test_43():
    assert os.urandom(1)[0] > 2


def test_44():
    assert os.urandom(1)[0] > 2


def test_45():
    assert os.urandom(1)[0] > 2


def test_46():
    assert os.urandom(1)[0] > 2


def test_47():
    assert os.urandom(1)[0] > 2


def test_48():
    assert os.urandom(1)[0] > 2


def test_49():
    assert os.urandom(1)[0] > 2


def test_50():
    assert os.urandom(1)[0] > 2


def test_51():
    assert os.urandom(1)[0] > 2


def test_52():
    assert os.urandom(1)[0] > 2


def test_53():
    assert os.urandom(1)[0] > 2


def test_54():
    assert os.urandom(1)[0] > 2
