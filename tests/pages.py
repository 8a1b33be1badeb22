"""Pages as tests read them."""

import re

import polib

from tests.image_files import ROOT

SIGN_IN = "Sign in"


def unbroken(html: str) -> str:
    """HTML as if laid out on one line: without the spaces at tags' edges and the line breaks in them."""
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"\s+", " ", html))


def speaks(page: str, language: str, *, mark: str = "") -> bool:
    """Whether a stranger's page is in a language: it says so, and "Sign in" as the sources' catalogue does.

    `mark` stands before the words, where a release of the tests' own was installed.
    """
    words = SIGN_IN
    if language != "en":
        catalogue = polib.pofile(str(ROOT / f"locale/{language}/LC_MESSAGES/django.po"))
        words = mark + next(entry.msgstr for entry in catalogue if entry.msgid == SIGN_IN)
    return f'lang="{language}"' in page.partition("<head>")[0] and words in page
