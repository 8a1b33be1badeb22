"""The record's pages: the office's decisions, those of a region, and a region's own history."""
