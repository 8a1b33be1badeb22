"""The office's side of the log: tiles, keys, checkpoints, and their signing."""
