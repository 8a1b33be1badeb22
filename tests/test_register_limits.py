"""What the register's page tells of a table's size is what its reader holds to."""

from ratings import register_import
from tournaments.formats import player_lists


def test_the_limits_that_the_page_tells_are_those_of_the_reader() -> None:
    assert (register_import.MOST_BYTES, register_import.MOST_ROWS) == (
        player_lists.MOST_BYTES,
        player_lists.MOST_ROWS,
    )
