"""What an operator watches: signs of life, readiness, figures, alarms."""
