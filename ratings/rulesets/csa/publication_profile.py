"""The publication of Chess South Africa's ratings: pages, layouts of lists, age groups."""

from __future__ import annotations

from ratings.equipment.publication_profile import AgeGroup, ListDays, Publication
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.csa.downloads import DOWNLOADS
from ratings.rulesets.csa.edition_2020.lists_and_tables import SHOWN_DECIMALS
from ratings.rulesets.csa.rule_table_pages import PAGES
from ratings.rulesets.csa.source_and_omissions import ENACTED

AGE_GROUPS = (
    # D-CSA-5: of that age or less, so that the younger stand in the groups of the older too
    *(AgeGroup(f"u{age}", f"U{age}", most=age) for age in range(6, 21, 2)),
    AgeGroup("adult", _("Adult"), least=21),
)

PUBLICATION = Publication(
    decimals=SHOWN_DECIMALS,  # §28
    sides=(_("white"), _("black")),
    enacted=ENACTED,
    pages=PAGES,
    downloads=DOWNLOADS,
    whole_files=True,  # §28
    age_groups=AGE_GROUPS,
    list_days=ListDays(of_month=(1,), clause="67"),
)
