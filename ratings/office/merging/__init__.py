"""The worker's part in merging: what it would change is drawn up beside the page, and kept for it."""
