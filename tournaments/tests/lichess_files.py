"""Lichess's JSON of a Swiss tournament: its own description, and its results."""

SWISS = (
    '{"id":"sowetoA1","name":"Soweto Online","startsAt":"2026-03-06T15:00:00Z","nbRounds":5,'
    '"clock":{"limit":300,"increment":3},"variant":"standard","rated":true}\n'
)
RESULTS = """\
{"rank":1,"points":4.5,"tieBreak":13.25,"rating":2105,"username":"Thabo_D","title":"FM","performance":2210}
{"rank":2,"points":3,"tieBreak":9,"rating":1811,"username":"priya-n","performance":1790}
{"absent":true,"rank":3,"points":0.5,"tieBreak":1,"rating":1500,"username":"sipho","performance":1200}
"""
