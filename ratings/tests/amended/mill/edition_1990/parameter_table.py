"""The numbers of the first rules."""

from __future__ import annotations

from ratings.tests.sixth.morris import PARAMETERS

__all__ = ["PARAMETERS"]
