"""What the register's page tells of a table's size is what its reader holds to."""

from players.importing import services
from tournaments.formats.tables import stream_table_rows


def test_the_limits_that_the_page_tells_are_those_of_the_reader() -> None:
    assert (services.MOST_BYTES, services.MOST_ROWS) == (
        stream_table_rows.MOST_BYTES,
        stream_table_rows.MOST_ROWS,
    )
