"""Verifying an office: its journal is replayed, and everything that is stored is compared with it."""

from ratings.verify.report import Report as Report
from ratings.verify.whole import verify as verify
