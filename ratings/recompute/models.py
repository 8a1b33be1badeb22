"""The rules that programs brought to an office, as the database holds them."""

from __future__ import annotations

from django.db import models

from players.office.models import Decision, Federation


class RulesVersionQuerySet(models.QuerySet["RulesVersion"]):
    def waiting(self) -> RulesVersionQuerySet:
        """Rules that would move what is published, and that nobody has decided to apply."""
        return self.filter(in_force_at=None, moves=True, decision=None)

    def waiting_in(self, federation: Federation, rules: str) -> RulesVersion | None:
        """Return the rules with this hash, this program's own, if the office has to say whether they apply;
        else None. Those of a program that was taken back, or is yet to come, nobody here could apply.
        """
        rows = self.filter(federation=federation).waiting()
        return next((row for row in rows if row.rules == rules), None)


class RulesVersion(models.Model):
    """One state of a federation's rules, as a program brought it to an office: what it would move there, and
    since when it holds.
    """

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="rules_versions")
    rules = models.CharField(max_length=64)
    """The hash of the rules (`ratings.proof.program.rules_hash`)."""
    program = models.CharField(max_length=40)
    """The version of the program that brought them."""
    compared_at = models.DateTimeField(null=True)
    """The moment at which they were last compared with what is stored; None: never."""
    line = models.PositiveBigIntegerField(default=0)
    """The line of the journal up to which they were compared."""
    moves = models.BooleanField(default=False)
    """Whether anything published would be otherwise."""
    effects = models.JSONField(default=dict)
    """The differences found (`rules_change.effects`)."""
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, null=True, related_name="+")
    """The office's word that they are to be applied; None: not given, or not needed."""
    in_force_at = models.DateTimeField(null=True)
    """The moment since which the stored results are theirs; None: they never were."""
    left_at = models.DateTimeField(null=True)
    """The moment at which others replaced them; None: none did."""

    objects = RulesVersionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "rules"], name="one_row_of_rules")]

    def __str__(self) -> str:
        return f"{self.rules[:8]} of {self.program}"
