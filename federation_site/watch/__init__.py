"""An operator's view: signs of life, readiness, figures, alarms."""
