import pytest

from tournaments.sections import guess_time_control


@pytest.mark.parametrize(
    ("text", "minutes", "increment"),
    [
        ("90 minutes + 30 seconds per move", [90], 30),
        ("15 minutes plus 10 sec per move", [15], 10),
        ("90 min + 30 sec", [90], 30),
        ("90'+30\"", [90], 30),
        ("90m+30s", [90], 30),
        ("5+3", [5], 3),
        ("25 + 10", [25], 10),
        ("60 minutes", [60], 0),
        ("1:30 + 10 from move 1", [90], 10),
        ("1 min + 15 minutes, 10 seconds", [1, 15], 10),
        ("100' + 50' + 15' + 30\"", [100, 50, 15], 30),
        ("5400+30", [90], 30),
        ("40/6000+30:900+30", [100, 15], 30),
    ],
)
def test_a_plain_time_control_is_read(text: str, minutes: list[int], increment: int) -> None:
    assert guess_time_control(text) == {"minutes": minutes, "increment": increment}


@pytest.mark.parametrize(
    "text", ["", "rapid", "see the invitation", "90", "2 hours", "900 minutes, 10 sec, 20 sec"]
)
def test_what_is_not_plain_is_left_to_a_person(text: str) -> None:
    assert guess_time_control(text) is None
