"""Forms for how a section was played: who was absent, and which place each player took."""
