"""What the cheat sheet is made of: checked formulae, counts, code, wrong lines over right ones."""
