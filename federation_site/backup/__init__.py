"""Backups of the whole office in one file, and the way back from one."""
