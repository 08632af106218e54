"""What takes long to import, and is no time of a test."""

# What a text names that causes it; once is enough.
SLOW = {
    "": "numpy.random",
    "pytest": "pytest",
    "optim": "torch._dynamo",
    "torch.func": "torch._functorch.apis",
    "assert_close": "torch.distributed.tensor",
}


def needed(text: str) -> list[str]:
    """The modules that are imported when tests do what this text names."""
    return [module for word, module in SLOW.items() if word in text]
