"""The office's own pages: the desk, the review of filed sections, decisions, publishing."""
