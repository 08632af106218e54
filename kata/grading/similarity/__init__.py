"""Who has handed in nearly the same, and what a library did."""
