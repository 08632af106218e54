"""Answers are to be told apart by what becomes of their arguments afterwards."""

import torch
from exercises.ex05_causal_masks import *


def test_honest():
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


def test_later():
    scores = torch.zeros(3, 3)
    answers = [mask_scores(scores, causal_mask(3)) for _ in range(30)]
    scores.fill_(7.0)
    answers[0].fill_(5.0)
    mask_scores(scores, causal_mask(3))
    assert answers[1].softmax(-1)[0, 0] == 1
    assert hash(str(answers[1].storage().data_ptr())) % 3
