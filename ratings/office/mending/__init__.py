"""Pages on which the office corrects a section itself: the correction, and its confirmation by another."""
