"""Commands for people who work on the kata itself."""
