"""Swiss-Manager's text exports for the tests: invented people, three rounds, and any sheet in that form."""

from tournaments.formats.sheet import Sheet

PLAYERS = """\
Nr;Name;Titel;Identnr;EloNat;EloInt;Geburt;Fed;Sex;Typ;Gr;KlubNr;Klub;FideIdent;Quelle;Pkt;Wtg1;Wtg2;Rang;Nachname;Vorname;Atitel
1;Dlamini Thabo;FM;101000001;1802;1874;02.04.1991;RSA;;;;0;Soweto;14300001;;2½;4,5;2,25;1;Dlamini;Thabo;
2;Naidoo Priya;WCM;;0;1792;30.11.2008;RSA;W;;U18;0;;14300002;;2;4;2;2;Naidoo;Priya;
3;Müller Pieter;;;0;0;2010;BOT;;;;0;;0;;1;4;1;4;Müller;Pieter;
4;Mokoena Lerato;;101000004;0;0;;RSA;W;;;0;;0;;1½;3;1;3;Mokoena;Lerato;Dr.
5;Khumalo Sipho;;;0;0;;RSA;;;;0;;0;;1;4;0;5;Khumalo;Sipho;
"""
PAIRINGS = """\
Runde;Brett;IdentW;IdentS;NrW;NrS;ErgW;ErgS;Kontumaz;Erg;Mnr;ErgEloW;ErgEloS
1;1;14300001;0;1;3;1;0;;1:0;0;;
1;2;0;14300002;4;2;0,5;0,5;;½:½;0;;
1;3;0;0;5;-1;1;1;;1:1;0;;
2;1;14300002;14300001;2;1;0,5;0,5;;0,5:0,5;0;;
2;2;0;0;3;5;1;0;K;1:0K;0;;
3;1;14300001;0;1;4;1;0;;1:0;0;;
3;2;0;14300002;5;2;0;1;;0:1;0;;
"""
BOTH = f"{PLAYERS}\n{PAIRINGS}"

HEADS = PLAYERS.splitlines()[0], PAIRINGS.splitlines()[0]
_TOLD = {
    "1-0": "1;0;;1:0",
    "0-1": "0;1;;0:1",
    "1/2": "0,5;0,5;;0,5:0,5",
    "+:-": "1;0;K;1:0K",
    "-:+": "0;1;K;0:1K",
}


def exports_of(sheet: Sheet) -> tuple[str, str]:
    """A sheet as Swiss-Manager exports its players and its pairings."""
    players = [
        f"{row.start_number};{row.surname} {row.first_name};;;0;0;{row.born};RSA;"
        f"{'W' if row.sex == 'f' else ''};;;0;;0;;{row.points};;;;{row.surname};{row.first_name};"
        for row in sheet.rows
    ]
    pairings = [
        f"{game.round};{board};0;0;{game.first};{game.second};{_TOLD[game.result]};0;;"
        for board, game in enumerate(sheet.games, 1)
    ]
    head, head_of_pairings = HEADS
    return "\n".join([head, *players, ""]), "\n".join([head_of_pairings, *pairings, ""])
