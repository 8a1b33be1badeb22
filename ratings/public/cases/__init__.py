"""Pages on which anybody reports a mistake, confirms the mail address and follows the case."""
