"""Date and time formats, one module for each language."""
