"""Looks at the machine and the database before a program runs: box, clock, migrations."""
