"""Django's backend for PostgreSQL, with patience for a server that hangs."""
