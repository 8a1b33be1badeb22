"""What the register's page tells of a table's size is what its reader holds to."""

from players.importing import services
from tournaments.formats.tables import long_table


def test_the_limits_that_the_page_tells_are_those_of_the_reader() -> None:
    assert (services.MOST_BYTES, services.MOST_ROWS) == (long_table.MOST_BYTES, long_table.MOST_ROWS)
