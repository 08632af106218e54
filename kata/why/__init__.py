"""Why is there this exercise: what breaks without the piece, in words and in numbers."""
