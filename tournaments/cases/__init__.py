"""Cases: what players and parents say is wrong, without an account; the answers to it, and the outcome."""
