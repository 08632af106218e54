"""The machinery of the attention kata."""
