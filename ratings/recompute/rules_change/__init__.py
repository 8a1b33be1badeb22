"""Other rules for what is stored: what they would move, the office's word, and everything folded anew."""
