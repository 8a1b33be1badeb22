"""Date and time formats in Polish: 7 czerwca 2026."""

DATE_FORMAT = "j\u00a0E Y"
SHORT_DATE_FORMAT = "j.m.Y"
MONTH_DAY_FORMAT = "j.m"
YEAR_MONTH_FORMAT = "F Y"
DATETIME_FORMAT = "j\u00a0E Y, H:i"
SHORT_DATETIME_FORMAT = "j.m.Y, H:i"
TIME_FORMAT = "H:i"
# The first is that of form fields in the browser, in any language.
DATE_INPUT_FORMATS = ["%Y-%m-%d", "%d.%m.%Y", "%d. %m. %Y"]
DATETIME_INPUT_FORMATS = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M"]
