"""Pages of past days: what changed between two of them, and the lists that were in force."""
