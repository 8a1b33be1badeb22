"""Hints at review: what looks odd in a section that waits, each with its evidence, answered on record."""
