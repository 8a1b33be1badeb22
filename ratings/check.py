"""`python -m ratings.check JOURNAL …`: checks lists and checkpoints against a journal."""

import sys

from ratings.proof.check import main

if __name__ == "__main__":
    sys.exit(main())
