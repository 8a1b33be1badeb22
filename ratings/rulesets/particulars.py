"""Particulars of people as files and forms write them: nations in all codes, ids, and births that can be."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal

# ---- Nations
_TABLE = """
AFG AF Afghanistan; ALB AL Albania; DZA DZ ALG Algeria; AND AD Andorra; AGO AO ANG Angola;
ARG AR RA Argentina;
ATG AG ANT Antigua and Barbuda; ARM AM Armenia; ABW AW ARU Aruba; AUS AU Australia; AUT AT A Austria;
AZE AZ Azerbaijan; BHS BS BAH Bahamas; BHR BH Bahrain; BGD BD BAN Bangladesh; BRB BB BAR BDS Barbados;
BLR BY Belarus; BEL BE B Belgium; BLZ BZ BIZ Belize; BEN BJ Benin; BMU BM BER Bermuda; BTN BT BHU Bhutan;
BOL BO Bolivia; BIH BA Bosnia and Herzegovina|Bosnia & Herzegovina; BWA BW BOT Botswana; BRA BR Brazil;
BRU Brunei; BGR BG BUL Bulgaria; BFA BF BUR Burkina Faso; BDI BI Burundi; KHM KH CAM Cambodia;
CMR CM Cameroon; CAN CA CDN Canada; CPV CV Cape Verde; CAF CF Central African Republic; TCD TD CHA Chad;
CHL CL CHI RCH Chile; CHN CN PRC China; COL CO Colombia; COM KM Comoros; COG CG CGO Congo;
COD CD Democratic Republic of the Congo; CRI CR CRC Costa Rica; CIV CI Ivory Coast|Côte d'Ivoire;
HRV HR CRO Croatia; CUB CU Cuba; CYP CY Cyprus; CZE CZ Czechia|Czech Republic; DNK DK DEN Denmark;
DJI DJ Djibouti; DMA DM Dominica; DOM DO Dominican Republic; ECU EC Ecuador; EGY EG Egypt;
SLV SV ESA El Salvador; GNQ GQ GEQ Equatorial Guinea; ERI ER Eritrea; EST EE Estonia;
SWZ SZ Eswatini|Swaziland;
ETH ET Ethiopia; FRO FO FAI Faroe Islands; FJI FJ FIJ Fiji; FIN FI SF Finland; FRA FR F France; GAB GA Gabon;
GMB GM GAM Gambia; GEO GE Georgia; DEU DE D GER Germany; GHA GH Ghana; GRC GR GRE Greece; GRD GD GRN Grenada;
GUM GU Guam; GTM GT GUA Guatemala; GIN GN GUI Guinea; GNB GW GBS Guinea-Bissau; GUY GY Guyana;
HTI HT HAI Haiti; HND HN HON Honduras; HKG HK Hong Kong; HUN HU H Hungary; ISL IS Iceland; IND IN India;
IDN ID INA Indonesia; IRN IR IRI Iran; IRQ IQ Iraq; IRL IE Ireland; ISR IL Israel; ITA IT I Italy;
JAM JM Jamaica; JPN JP J Japan; JOR JO Jordan; KAZ KZ Kazakhstan; KEN KE Kenya; KOS XK Kosovo;
KWT KW KUW Kuwait; KGZ KG Kyrgyzstan; LAO LA Laos; LVA LV LAT Latvia; LBN LB LIB Lebanon; LSO LS LES Lesotho;
LBR LR Liberia; LBY LY LBA Libya; LIE LI FL Liechtenstein; LTU LT Lithuania; LUX LU L Luxembourg;
MAC MO Macau|Macao; MDG MG MAD Madagascar; MWI MW MAW Malawi; MYS MY MAS MAL Malaysia; MDV MV Maldives;
MLI ML Mali; MLT MT M Malta; MRT MR MTN Mauritania; MUS MU MRI Mauritius; MEX MX Mexico; MDA MD Moldova;
MCO MC MON MNC Monaco; MNG MN MGL Mongolia; MNE ME Montenegro; MAR MA Morocco; MOZ MZ Mozambique;
MMR MM MYA Myanmar; NAM NA Namibia; NPL NP NEP Nepal; NLD NL NED HOL Netherlands|Holland|The Netherlands;
NZL NZ New Zealand; NIC NI NCA Nicaragua; NER NE NIG Niger; NGA NG NGR Nigeria; PRK KP North Korea;
MKD MK North Macedonia|Macedonia; NOR NO N Norway; OMN OM OMA Oman; PAK PK Pakistan; PSE PS PLE Palestine;
PAN PA Panama; PNG PG Papua New Guinea; PRY PY PAR Paraguay; PER PE Peru; PHL PH PHI Philippines;
POL PL Poland; PRT PT P POR Portugal; PRI PR PUR Puerto Rico; QAT QA Qatar; ROU RO ROM Romania;
RUS RU Russia|Russian Federation; RWA RW Rwanda; SMR SM San Marino; SAU SA KSA Saudi Arabia;
SEN SN Senegal; SRB RS Serbia; SYC SC SEY Seychelles; SLE SL Sierra Leone; SGP SG SIN Singapore;
SVK SK Slovakia; SVN SI SLO Slovenia; SOM SO Somalia; ZAF ZA RSA South Africa; KOR KR ROK South Korea|Korea;
SSD SS South Sudan; ESP ES E Spain; LKA LK SRI Sri Lanka; SDN SD SUD Sudan; SUR SR Suriname; SWE SE S Sweden;
CHE CH SUI Switzerland; SYR SY Syria; STP ST Sao Tome and Principe; TWN TW TPE Taiwan|Chinese Taipei;
TJK TJ Tajikistan; TZA TZ TAN Tanzania; THA TH T Thailand; TLS TL Timor-Leste; TGO TG TOG Togo;
TON TO TGA Tonga; TTO TT TRI Trinidad and Tobago|Trinidad & Tobago; TUN TN Tunisia; TUR TR Turkey|Türkiye;
TKM TM Turkmenistan; UGA UG Uganda; UKR UA Ukraine; ARE AE UAE United Arab Emirates;
GBR GB UK United Kingdom|Great Britain; ENG England; SCO Scotland; WLS WAL Wales; NIR Northern Ireland;
USA US United States|United States of America; URY UY URU Uruguay; UZB UZ Uzbekistan; VUT VU VAN Vanuatu;
VEN VE Venezuela; VNM VN VIE Vietnam; YEM YE Yemen; ZMB ZM ZAM Zambia; ZWE ZW ZIM Zimbabwe
"""
"""Each nation: its code of ISO 3166, other codes (of two letters, IOC, FIFA, FIDE, cars), and English names.

`BRN` is Bahrain in sport and Brunei at ISO, so it stands for neither.
"""
_CODE = re.compile(r"[A-Z]{1,3}")
_THREE_LETTERS = re.compile(r"[A-Z]{3}")


def _spellings() -> Iterator[tuple[str, str]]:
    for nation in _TABLE.replace("\n", " ").split(";"):
        words = nation.split()
        codes = [word for word in words if _CODE.fullmatch(word)]
        yield from ((code, codes[0]) for code in codes)
        for name in " ".join(words[len(codes) :]).split("|"):
            yield name.upper(), codes[0]


_ISO_BY_SPELLING = dict(_spellings())


def nation_code(text: str, country: str) -> str:
    """A nation as three letters: a code of three letters as it stands, another code or an English name as
    ISO's; empty for anything else. `country`: the office's, whose own code stands for its nation in every
    spelling; empty for readers of files, which know no office.
    """
    spelling = " ".join(text.strip().rstrip(".").upper().split())
    iso = _ISO_BY_SPELLING.get(spelling, "")
    if country and (spelling == country or (iso and iso == _ISO_BY_SPELLING.get(country))):
        return country
    return spelling if _THREE_LETTERS.fullmatch(spelling) else iso


def is_same_nation(code: str, other: str) -> bool:
    """Whether two codes are of one nation, such as `NED` and `NLD`."""
    return nation_code(code, other) == other


# ---- Ids
PROVISIONAL_SUFFIX = "-provisional"
"""The suffix of a kind of ids that a pairing program gave instead of the register of that kind."""


def is_provisional(kind: str) -> bool:
    """Whether pairing programs give ids of this kind: the same id is evidence, another one is not."""
    return kind.endswith(PROVISIONAL_SUFFIX)


# ---- Sexes
SEXES: dict[str, Literal["m", "f"]] = {
    **dict.fromkeys(("m", "male", "м"), "m"),
    **dict.fromkeys(("f", "w", "female", "ž", "k", "ж"), "f"),
}
"""The sexes as files and tables write them, in the languages of the offices, in small letters."""


# ---- Births
EARLIEST_BIRTH_YEAR = 1850
"""The earliest year of birth in a register, which keeps those who died."""
LEAST_AGE, MOST_AGE = 3, 105
"""The ages at which somebody plays; anybody younger or older is asked about."""
_NOT_GIVEN = re.compile(r"190[01](-01-01)?")


def is_birth_given(birth: str) -> bool:
    """Whether a birth (`2010-05-03`, `2010` or empty) says anything: programs write 1 January of 1900 or
    1901, or these years alone, where it is not known.
    """
    return bool(birth) and not _NOT_GIVEN.fullmatch(birth)


def births_agree(birth: str, other: str) -> bool:
    """Whether two births (`2010-05-03`, `2010` or empty) can be one person's."""
    return birth.startswith(other) or other.startswith(birth)


def can_be_registered(birth: str, on: date) -> bool:
    """Whether somebody with this birth can be in a register on a day: of 3 years, dead ones too."""
    return birth[:4] >= str(EARLIEST_BIRTH_YEAR) and _earliest(birth) <= _years_before(on, LEAST_AGE)


def can_have_played(birth: str, on: date) -> bool:
    """Whether somebody with this birth is likely to have played on a day: aged from 3 to 105."""
    latest = birth if len(birth) > len("2010") else f"{birth}-12-31"
    return _earliest(birth) <= _years_before(on, LEAST_AGE) and latest > _years_before(on, MOST_AGE + 1)


def _earliest(birth: str) -> str:
    """The first day that a birth can mean."""
    return birth if len(birth) > len("2010") else f"{birth}-01-01"


def _years_before(day: date, years: int) -> str:
    return f"{day.year - years:04}{day.isoformat()[4:]}"
