"""Pictures of pages for whoever shares a link: a player, a list, an event."""
