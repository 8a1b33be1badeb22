"""Corrections that the office itself makes in a section as filed, each with its reason."""
