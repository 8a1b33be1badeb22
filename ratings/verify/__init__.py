"""Verifies an office: replays its journal and compares everything that is stored with the replay."""

from ratings.verify.report import Report as Report
from ratings.verify.verify_everything import verify as verify
