"""The parts of the cheat sheet: checked formulae, counts, code, wrong lines over right ones."""
