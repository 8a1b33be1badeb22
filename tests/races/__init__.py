"""Two people who decide about the same thing in the same moment: `python -m tests.races`."""
