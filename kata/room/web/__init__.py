"""The room as a server: its connections, what learners send, and the pages of its viewers."""
