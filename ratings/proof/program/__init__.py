"""`ratings.pyz`: law and journal as one file that needs Python alone, for readers who check a list."""

from ratings.proof.program.build import Program as Program
from ratings.proof.program.build import current as current
