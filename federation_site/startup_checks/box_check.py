"""A look at the box on this machine: the ways out of it that are open to a file that took its reader over."""

from tournaments.box.run_box import BoxDied, open_ways


def box_is_open() -> str:
    """A sentence with the ways by which a reader could leave the box on this machine, found by trying, or
    with the reason why no box starts; empty if all are shut.
    """
    try:
        ways = open_ways()
    except BoxDied as died:
        return f"The box in which strangers' files are read does not start on this machine ({died})."
    if not ways:
        return ""
    return (
        "On this machine a file that took its reader over could still: "
        f"{', '.join(ways)}. Linux with seccomp (on x86-64 or ARM) or Landlock shuts these ways."
    )
