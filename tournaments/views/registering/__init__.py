"""Registering an event, on one page or in steps, and the event's own filing page."""
