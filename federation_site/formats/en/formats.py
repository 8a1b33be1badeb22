"""The forms of days in English, as everywhere in this house: 7 June 2026."""

DATE_FORMAT = "j F Y"
