"""Proposals for what a file leaves open, from the rest of it and earlier answers; a person confirms them."""
