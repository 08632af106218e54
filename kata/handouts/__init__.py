"""What is printed and pinned up: sheets, the web site, the poster, and the figures of all three."""
