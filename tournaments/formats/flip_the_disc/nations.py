"""Nations of othello players: FlipTheDisc writes two letters, the world's list of players three."""

NATIONS = {
    "AR": "ARG", "AT": "AUT", "AU": "AUS", "BE": "BEL", "BG": "BGR", "BR": "BRA", "CA": "CAN", "CH": "CHE",
    "CL": "CHL", "CN": "CHN", "CZ": "CZE", "DE": "DEU", "DK": "DNK", "EE": "EST", "ES": "ESP", "FI": "FIN",
    "FR": "FRA", "GB": "GBR", "GR": "GRC", "HK": "HKG", "HR": "HRV", "HU": "HUN", "IE": "IRL", "IL": "ISR",
    "IN": "IND", "IS": "ISL", "IT": "ITA", "JP": "JPN", "KR": "KOR", "LT": "LTU", "LV": "LVA", "MX": "MEX",
    "MY": "MYS", "NL": "NLD", "NO": "NOR", "NZ": "NZL", "PL": "POL", "PT": "PRT", "RO": "ROU", "RS": "SRB",
    "RU": "RUS", "SE": "SWE", "SG": "SGP", "SI": "SVN", "SK": "SVK", "TH": "THA", "TR": "TUR", "TW": "TWN",
    "UA": "UKR", "US": "USA", "ZA": "ZAF",
}  # fmt: skip


def three_letters(code: object) -> str:
    """The three letters of a nation; empty if they are not known."""
    text = code.strip().upper() if isinstance(code, str) else ""
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text
    return NATIONS.get(text, "")
