"""Decisions on people of the register of which the journal must hear: corrections, deleted names, merges."""
