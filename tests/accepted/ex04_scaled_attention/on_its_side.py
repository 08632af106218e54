"""Keys in rows, queries in columns, all the way; both results are views turned back."""


def scaled_dot_product_attention(query, key, value):
    columns = key @ query.mT
    columns = columns * (1 / query.size(-1) ** 0.5)
    columns = columns.softmax(-2)
    return (value.mT @ columns).mT, columns.mT
