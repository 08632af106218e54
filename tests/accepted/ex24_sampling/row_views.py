"""All rows as one matrix, in float64, with a loop over the rows where they differ.

The contract: "It is called once for each step, in the mode that it is in, and stays in that mode."
"""

import torch


def matrix(values):
    return values.reshape(-1, values.shape[-1])


def token_probabilities(logits, temperature=1.0):
    rows = matrix(logits).double()
    if temperature == 0:
        answer = torch.stack([torch.eye(len(row))[int(row.argmax())] for row in rows])
    else:
        powers = ((rows - rows.amax(1, keepdim=True)) / temperature).exp()
        answer = powers / powers.sum(1, keepdim=True)
    return answer.to(logits).view(logits.shape)


def keep_top_k(logits, k):
    answer = []
    for row in matrix(logits):
        kept = row.sort(descending=True).indices[:k]
        answer.append(row.new_full(row.shape, float("-inf")).index_copy(0, kept, row[kept]))
    return torch.stack(answer).view(logits.shape)


def keep_top_p(logits, p):
    answer = []
    for row in matrix(logits):
        order = row.argsort(descending=True)
        count = len(row)
        if p < 1:
            count = int((row.double().softmax(0)[order].cumsum(0) < p).sum()) + 1
        new = torch.full_like(row, float("-inf"))
        new[order[:count]] = row[order[:count]]
        answer.append(new)
    return torch.stack(answer).view(logits.shape)


def pick(probabilities, draws):
    answer = []
    for row, draw in zip(matrix(probabilities), draws.reshape(-1)):
        possible = row.nonzero()[:, 0]
        ends = row[possible].cumsum(0)[:-1]
        answer.append(possible[int((ends <= draw).sum())])
    return torch.stack(answer).view(draws.shape)


def generate(model, tokens, steps, context_length):
    texts = list(tokens)
    for _ in range(steps):
        window = torch.stack([text[-context_length:] for text in texts])
        best = model(window).argmax(2)[:, -1]
        texts = [torch.cat((text, token.view(1))) for text, token in zip(texts, best)]
    return torch.stack(texts)
