"""The office's side of the journal's public log: tiles, keys, checkpoints, and their signing."""
