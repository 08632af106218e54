"""A live room, joined from a notebook: join, share, leave."""
