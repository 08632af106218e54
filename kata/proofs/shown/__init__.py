"""What is said of a proof: in which order, in which words, and of one wrong answer at a time."""
