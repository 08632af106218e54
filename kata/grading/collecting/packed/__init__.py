"""Archives in archives, other compressions than deflate, and exports that are still packed."""
