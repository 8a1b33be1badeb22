"""Before a section is played: what the regulations ask of it, and what the office is asked to permit."""
