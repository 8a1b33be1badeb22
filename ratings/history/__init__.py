"""A history becomes lines of the journal: drawn up, folded in memory, then written in one go."""
