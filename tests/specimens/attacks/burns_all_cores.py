"""Against "nobody waits longer than the limit": many threads compute, for as long as they are let."""

import threading

import torch

torch.set_num_threads(8)


def _burn():
    x = torch.ones(500, 500)
    while True:
        x = x @ x


def scaled_dot_product_attention(query, key, value):
    for _ in range(8):
        threading.Thread(target=_burn).start()
    _burn()
