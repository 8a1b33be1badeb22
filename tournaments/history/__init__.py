"""A history: many event files with one table beside them, read, matched and checked together."""
