"""What the public does and sees in the demo offices: ten tasks on a phone, and every kind of page."""
