"""One claim made again for `kata call`: recorded, restored, and written as a script."""
