"""Words of Django and allauth on our pages, said anew by our catalogues: theirs err, or are too familiar."""

from django.utils.translation import gettext_noop

SAID_ANEW = (
    gettext_noop("The password is too similar to the %(verbose_name)s."),
    gettext_noop("You must type the same password each time."),
    gettext_noop("Your password can’t be too similar to your other personal information."),
)
