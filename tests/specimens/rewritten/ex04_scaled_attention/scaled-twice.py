import torch
from torch import Tensor


class Attention:
    def __init__(self, width: int) -> None:
        self.root = width**0.5

    def scores(self, query: Tensor, key: Tensor) -> Tensor:
        query = query / self.root
        return query @ key.transpose(-1, -2) / self.root

    def weights(self, scores: Tensor) -> Tensor:
        return torch.log_softmax(scores, dim=-1).exp()

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        weights = self.weights(self.scores(query, key))
        return weights @ value, weights


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    return Attention(query.size(-1))(query, key, value)
