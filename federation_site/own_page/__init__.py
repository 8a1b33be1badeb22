"""The pages of one's own: account, appointments, letters; and the mailbox of a demo."""
