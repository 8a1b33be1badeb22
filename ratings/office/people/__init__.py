"""The office's pages about people who serve."""
