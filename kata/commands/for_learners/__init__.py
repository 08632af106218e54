"""Commands for people who do the exercises."""
