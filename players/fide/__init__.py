"""FIDE's own list of players: read as a stream, and compared with the register."""
