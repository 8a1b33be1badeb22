"""Letters about what was decided: they follow from the record, each to whom it concerns."""
