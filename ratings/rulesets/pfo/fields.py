"""The fields of an othello tournament in its form and in the journal."""

from ratings.rulesets.facts import Choice, Field, gettext_noop as _

FIELDS = (
    Field(
        name="status",
        label=_("Tournament"),
        kind="choice",
        clause="12",
        help=_("The kind decides which games are rated and how many points places bring."),
        choices=(
            Choice("gpp", _("Grand Prix of Poland")),
            Choice("mp", _("Polish Championship")),
            Choice("egp", _("European Grand Prix")),
            Choice("woc", _("World Championship")),
        ),
    ),
    Field(
        name="season",
        label=_("Season"),
        kind="text",
        clause="17",
        help=_("As in the federation's calendar, always in the form 2009/2010."),
    ),
)
