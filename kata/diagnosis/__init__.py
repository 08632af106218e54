"""The mistakes of the catalogue that explain the results of an answer."""
