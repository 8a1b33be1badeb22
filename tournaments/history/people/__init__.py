"""People of a history: how files write them, and everybody who is known so far."""
