"""Lines of TRF26 and Tornelo beside the players, and teams in both their records."""

from collections.abc import Iterable, Iterator

from tournaments.formats.common.reading_result import SheetPlayer, Team

_WIDTH_TO_MEMBERS = 73  # columns of 310 before its first member


def beside_of(row: SheetPlayer) -> Iterator[str]:
    """Yield the national federations' lines of a player, then the player's ids elsewhere."""
    for national in row.national:
        identifier, rating = national.identifier or "", national.rating or ""
        line = (
            f"{national.federation} {row.start_number:>4}  {national.title:>3} {'':33} {rating:>4}"
            f" {national.region:<3} {identifier:>11}"
        )
        yield line.rstrip()
    for other in row.other_ids:
        yield f"DAT {row.start_number:>4} ID:{other.kind} {other.value}"


def team_013(teams: Iterable[Team]) -> list[str]:
    return [f"013 {t.name:<32.32}" + " ".join(f"{member:>4}" for member in t.members) for t in teams]


def team_310(teams: Iterable[Team]) -> list[str]:
    """Teams as 310. Strength, points and rank are left blank: a sheet does not hold them."""
    return [
        f"{f'310 {number:>3} {t.name:<32.32}':<{_WIDTH_TO_MEMBERS}}"
        + " ".join(f"{member:>4}" for member in t.members)
        for number, t in enumerate(teams, 1)
    ]
