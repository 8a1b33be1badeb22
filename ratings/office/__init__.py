"""The office's own pages: the desk, the review of what was filed, decisions, publishing."""
