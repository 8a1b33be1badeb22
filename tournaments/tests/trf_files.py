"""One section of invented people as each dialect of TRF writes it (Swiss-Manager and Vega: `event_files`)."""

# ruff: noqa: E501 - the lines keep to the columns of the format

from tournaments.tests.event_files import FOUR, HEAD, SWISS_MANAGER, VEGA

TRF26 = """\
### made by hand
012 Tembisa Open
022 Tembisa
032 RSA
042 2026/05/09
052 2026/05/10
062 4
092 Individual: Swiss-System
102 IA Nomsa Zulu (14399001)
122 90 minutes + 30 seconds per move
142 2
152 W
162  W 1.0    D 0.5    L 0.0    A 0.0    P 1.0    X 0.5
172 RSA NRO
182 Sharly-Chess 2.1
192 FIDE_DUTCH_2026
202 BH/C1,BH,SB
212 PTS,BH/C1,BH,SB
222 5400+30
132                                                                                        26/05/09  26/05/10
001    1 m    Dlamini, Thabo                    1874 RSA    14300001 1991/04/02  2.0    1     2 w 1     3 b 1
RSA    1      Dlamini, Thabo                    1802 GAU   170001001 1991/04/02
001    2 w    Naidoo, Priya                     1792 RSA    14300002 2008/11/30  0.5    3     1 b 0  0000 - H
RSA    2                                        1711 KZN   170001002
001    3 m    Botha, Pieter                     1650 BOT             1975/01/19  1.0    2     4 b 1     1 w 0
001    4 w    Mokoena, Lerato                        RSA    14300004 2012/06/07  0.0    4     3 w 0
RSA    4                                             WES   170001004
240 H   2    2
260   1   2    1    2
"""

TRF26_TEAMS = """\
012 Tembisa Team Day
042 2026/05/09
052 2026/05/10
082 2
142 2
192 FIDE_TEAM_ROUNDROBIN
132                                                                                        26/05/09  26/05/10
001    1 m    Dlamini, Thabo                    1874 RSA    14300001 1991/04/02  2.0    1     3 w 1     4 b 1
001    2 w    Naidoo, Priya                     1792 RSA    14300002 2008/11/30  0.5    3     4 b 0     3 w =
001    3 m    Botha, Pieter                     1650 RSA    14300003 1975/01/19  0.5    3     1 b 0     2 b =
001    4 w    Mokoena, Lerato                        RSA    14300004 2012/06/07  1.0    2     2 w 1     1 w 0
310   1 Tembisa Juniors                  TEM   1833.0    2.0    2.5   1    1    2
310   2 Soweto                           SOW   1650.0    1.0    1.5   2    3    4
362 TW 2     TD 1     TL 0
"""

TRF06 = """\
012 Club Cup
042 9. 5. 2026
052 10. 5. 2026
132                                                                                        26/05/09  26/05/10
001    1 M  f Dlamini, Thabo                    1874 TEM       12001 1991.04.02  2.0    1     2 w 1     3 b 1
001    2   wc Naidoo, Priya                     1792 SOW       12002 2008.11.30  0.5    3     1 b 0     4 w =
001    3      Botha, Pieter                        0 TEM       12003             1.0    2     4 b 1     1 w 0
001    4      Mokoena, Lerato                      0 SOW           0 2012        0.5    3     3 w 0     2 b =
"""

LICHESS = """\
012 Friday Blitz
022 https://lichess.org/swiss/abcdEFGH
032 Lichess
042 May 9, 2026
062 4
092 Individual: Swiss-System
102 https://lichess.org/swiss
XXR 3
001    1      thabo-d                           1874                             2.0          2 w 1     3 b 1  0000   -
001    2      priya_n                           1792                             1.0          1 b 0         U
001    3      pieterb                           1650                             1.0          4 b 1     1 w 0  0000   -
001    4      lerato                            1500                             0.0          3 w 0         -
"""

TORNELO = HEAD.replace("142 2", "142 002") + FOUR.replace(
    "001    2",
    "DAT    1 ID:TORNELO 771001\nDAT    1 EMAIL nobody@example.org\nDAT    1 ID:USCF 30001\n001    2",
)

JAVAFO = HEAD + FOUR.replace(" f ", " w ") + "XXR 2\nXXC rank white1\nXXS WW=1.0 BW=1.0\nXXP 1 2\n"

BY_DIALECT = {
    "TRF16": HEAD + FOUR,
    "TRF(x)": JAVAFO,
    "TRF26": TRF26.replace("182 Sharly-Chess 2.1\n", ""),
    "TRF26 of teams": TRF26_TEAMS,
    "TRF06": TRF06,
    "Swiss-Manager": SWISS_MANAGER,
    "Vega": VEGA,
    "Lichess": LICHESS,
    "Sharly-Chess": TRF26,
    "Tornelo": TORNELO,
}
