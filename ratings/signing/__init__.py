"""The office's side of the log: tiles, keys, checkpoints, and when they are signed."""
