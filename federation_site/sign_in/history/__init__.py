"""Sign-ins of an account, and tries that failed, as its owner is shown them."""
