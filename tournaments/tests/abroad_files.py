"""A player's event abroad for the tests, as CSV: invented people."""

ABROAD = """\
Event,"Open of Maputo, A"
Start,2026-03-06
End,2026-03-08
Rounds,4
Website,https://example.org/open

Player,101000001,Dlamini,Thabo
1,1,W,Taylor,Pat,2209,FM,ENG
2,=,B,Novák,Jan,1985,,CZE
3,0,-
4,0,B,Silva,Rui,,,MOZ
Total,1.5
"""
