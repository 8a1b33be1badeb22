"""Cross tables for the tests: invented people, as Chess-Results writes them, and any sheet in that form."""

from tournaments.formats.sheet import Sheet

ABOVE = """\
From the Tournament-Database of Chess-Results https://chess-results.com
Soweto Open A
Last update 08.03.2026 18:17:32, Creator/Last Upload: soweto
Organizer(s) : Soweto Chess Club
Federation : South Africa ( RSA )
Chief Arbiter : IA Zulu Nomsa 14399001
Deputy Arbiter : Venter Pieter, Ndlovu Amahle
Time control (Standard) : 90 min + 30 sec
Location : Johannesburg
Number of rounds : 3
Tournament type : Swiss-System
Rating calculation : Rating national
Date : 2026/03/06 to 2026/03/08
Rating-Ø / Average age : 1650 / 25
Program used : Swiss-Manager
Final Ranking crosstable after 3 Rounds
"""
HEAD = "Rk.;SNo;;Name;Rtg;FED;fs;Birth;Ident;Fide-No.;1.Rd;2.Rd;3.Rd;Pts.;TB1;TB2\n"
BY_RANK = """\
1;3;FM;Dlamini, Thabo;1874;RSA;;1991/04/02;101000001;14300001; 4w1; 2b½; 3w1;2,5;4,5;0
2;1;WCM;Naidoo, Priya;1792;RSA;F;2008;0;14300002; 3b½; 1w½; 5b1;2;4;0
3;5;;Mokoena, Lerato;0;RSA;F;;101000004;0; 2w½;-1; 1b0;1,5;3;0
4;2;;Müller, Pieter;0;BOT;;2010/00/00;;0; 1b0; 5w+;-½;1,5;4;0
5;4;;Khumalo, Sipho;0;RSA;;;;0;-1; 4b-; 2w0;1;4;0
"""
BY_START = """\
1;3;FM;Dlamini, Thabo;1874;RSA;;1991/04/02;101000001;14300001; 2w1; 1b½; 5w1;2,5;4,5;0
2;1;WCM;Naidoo, Priya;1792;RSA;F;2008;0;14300002; 5b½; 3w½; 4b1;2;4;0
3;5;;Mokoena, Lerato;0;RSA;F;;101000004;0; 1w½;-1; 3b0;1,5;3;0
4;2;;Müller, Pieter;0;BOT;;2010/00/00;;0; 3b0; 4w+;-½;1,5;4;0
5;4;;Khumalo, Sipho;0;RSA;;;;0;-1; 2b-; 1w0;1;4;0
"""
WINTD = """\
No.,Name,ID,Rate,Rnd 1,Rnd 2,Rnd 3,Rnd 4,Tot
1,"DLAMINI, THABO",101000001,1874,W   2,D   3,B,X   2,3.5
2,"NAIDOO, PRIYA",101000002,1792,L   1,B,W   3,F   1,2.0
3,"BOTHA, PIETER",101000003,1650,H,D   1,L   2,U,1.0
"""
"""WinTD's: who won against whom, without colours."""
BELOW = """\

Annotation:
Tie Break1: Buchholz Tie-Break Variable
You find all details to this tournament under https://chess-results.com/tnr1.aspx?lan=1
"""
CROSS = ABOVE + HEAD + BY_RANK + BELOW
FIRST = 18
"""The line of the first player."""

_SIDES = {"1-0": "10", "0-1": "01", "1/2": "½½", "+:-": "+-", "-:+": "-+"}


def cross_of(sheet: Sheet) -> str:
    """A sheet as Chess-Results' cross table by start number."""
    cells = {}
    for game in sheet.games:
        sides = _SIDES[game.result]
        cells[game.round, game.first] = f"{game.second}w{sides[0]}"
        cells[game.round, game.second] = f"{game.first}b{sides[1]}"
    rounds = range(1, sheet.rounds_played + 1)
    lines = [
        ";".join(
            [
                *(str(row.start_number), f"{row.surname}, {row.first_name}", str(row.born), str(row.points)),
                *(cells[number, row.start_number] for number in rounds),
            ]
        )
        for row in sheet.rows
    ]
    head = ";".join(["No.", "Name", "Birth", "Pts.", *(f"{number}.Rd" for number in rounds)])
    above = ABOVE.replace("rounds : 3", f"rounds : {sheet.rounds}")
    return "\n".join([above + head, *lines, ""])
