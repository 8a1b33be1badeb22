"""Everything that an office holds about one person, written out for that person: a player, or staff."""
