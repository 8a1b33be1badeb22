"""Takes a whole office out into one archive of open files, and into another, empty installation."""
