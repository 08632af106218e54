"""Commands for people who teach with the kata."""
