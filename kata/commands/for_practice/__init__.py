"""Commands for learners who write tests, hunt mistakes and practise."""
