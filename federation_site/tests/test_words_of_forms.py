"""What Django's own forms say of a wrong field is said as this house speaks."""

from pathlib import Path

import django
import polib
import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from federation_site.templates import FORM_MESSAGES

OWN = Path(django.__file__).parent / "conf/locale"


def said_of(field: forms.Field, value: object, language: str) -> str:
    with translation.override(language), pytest.raises(ValidationError) as refused:
        field.clean(value)
    with translation.override(language):
        return " ".join(refused.value.messages).replace("\xa0", " ")


def test_each_text_that_is_named_is_one_of_django_s() -> None:
    texts = {entry.msgid for entry in polib.pofile(str(OWN / "pl/LC_MESSAGES/django.po"))}
    with translation.override(None):
        assert {str(text) for text in FORM_MESSAGES} <= texts


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (forms.DateField(), "x", "Proszę podać poprawną datę."),
        (forms.EmailField(), "x", "Proszę podać poprawny adres e-mail."),
        (forms.IntegerField(), "x", "Proszę podać liczbę całkowitą."),
        (forms.IntegerField(max_value=5), "6", "Proszę podać wartość nie większą niż 5."),
        (
            forms.ChoiceField(choices=[("a", "a")]),
            "b",
            "Proszę wybrać jedną z podanych możliwości. Wśród nich nie ma „b”.",
        ),
        (forms.CharField(max_length=2), "abc", "Dozwolone są najwyżej 2 znaki (wpisano: 3)."),
        (forms.CharField(max_length=5), "abcdef", "Dozwolonych jest najwyżej 5 znaków (wpisano: 6)."),
        (forms.CharField(min_length=2), "a", "Potrzebne są co najmniej 2 znaki (wpisano: 1)."),
        (
            forms.FileField(max_length=1),
            SimpleUploadedFile("ab", b"1"),
            "Nazwa pliku może mieć najwyżej 1 znak",
        ),
    ],
)
def test_polish_forms_address_nobody_by_thou(field: forms.Field, value: object, said: str) -> None:
    assert said_of(field, value, "pl").startswith(said)


def test_czech_and_russian_forms_have_the_quotes_of_their_language() -> None:
    choice = forms.ChoiceField(choices=[("a", "a")])
    assert "„b“" in said_of(choice, "b", "cs")
    assert "«b»" in said_of(choice, "b", "ru")
