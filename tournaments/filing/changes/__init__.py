"""Changes of what was registered, until it is rated: edit, postpone, cancel, take up again, withdraw."""
