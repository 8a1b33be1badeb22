"""The language in which a reader is answered: by the address, the reader's choice, or the office."""
