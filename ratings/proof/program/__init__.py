"""`ratings.pyz`: the law and the journal as one file that needs Python alone, for whoever checks a list."""

from ratings.proof.program.build import Program as Program
from ratings.proof.program.build import current as current
