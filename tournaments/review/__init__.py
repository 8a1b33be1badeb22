"""The review between region and office: who is on a section, what was said of it, what its files said."""
