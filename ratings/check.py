"""`python -m ratings.check JOURNAL …`: lists and checkpoints held against a journal."""

import sys

from ratings.proof.check import main

if __name__ == "__main__":
    sys.exit(main())
