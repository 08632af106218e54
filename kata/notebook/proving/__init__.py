"""What `prove` takes from the cells of a notebook, and how it shows what it found."""
