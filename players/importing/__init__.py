"""The register in and out: as a table for people and programs, and from a table after a dry run."""
