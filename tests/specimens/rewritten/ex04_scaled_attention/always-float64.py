from torch import Tensor


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    query, key, value = query.double(), key.double(), value.double()
    logits = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1)
    logits = logits / query.size(-1) ** 0.5
    probabilities = logits.softmax(-1)
    mixed = (probabilities.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2)
    return mixed, probabilities
