"""The demo office: an invented federation's life of some seasons, seeded and relative to a day."""
