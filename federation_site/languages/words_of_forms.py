"""Messages of Django's own forms, said in our catalogues as this house speaks: politely, with its quotes.

Django lays our catalogues over its own, so that it is enough to name a text here, as Django writes it; a test
holds that it still does.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

SAID_BY_FORMS = (
    _("Enter a valid value."),
    _("Enter a valid URL."),
    _("Enter a valid integer."),
    _("Enter a valid email address."),
    _("Enter a number."),
    _("Enter a whole number."),
    _("Enter a valid date."),
    _("Enter a valid time."),
    _("Ensure this value is less than or equal to %(limit_value)s."),
    _("Ensure this value is greater than or equal to %(limit_value)s."),
    _("Select a valid choice. That choice is not one of the available choices."),
    _("Select a valid choice. %(value)s is not one of the available choices."),
    _("Enter a list of values."),
    _("No file was submitted. Check the encoding type on the form."),
    _("“%(pk)s” is not a valid value."),
)
COUNTED_BY_FORMS = (
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this filename has at most %(max)d character (it has %(length)d).",
        "Ensure this filename has at most %(max)d characters (it has %(length)d).",
        "max",
    ),
)
