"""The golden record: what users see of five demo offices, kept as text and compared with plain diff.

    python -m tests.golden record FOLDER
    python -m tests.golden compare FOLDER FOLDER

It knows the program by its commands, addresses, tasks and the labels of its models alone, so that it outlives
any rebuilding of the modules.
"""
