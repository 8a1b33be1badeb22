"""Whole seasons of work in the browser: what region, officials, administrator and public do there."""
