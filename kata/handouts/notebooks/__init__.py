"""The exercises as notebooks, for Jupyter and for marimo, made from the stubs."""
