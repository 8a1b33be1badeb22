"""Officials' decisions: each verb is one transaction, and the record of decisions keeps it."""

from players.people.decisions import (
    correct_player as correct_player,
)
from players.people.decisions import (
    forget_name as forget_name,
)
from ratings.decisions.lists import (
    publish_list as publish_list,
)
from ratings.decisions.lists import (
    revise_list as revise_list,
)
from ratings.decisions.ranks import (
    confirm_rank as confirm_rank,
)
from ratings.decisions.ranks import (
    record_playoff as record_playoff,
)
from ratings.decisions.sections import (
    approve as approve,
)
from ratings.decisions.sections import (
    refuse as refuse,
)
from ratings.decisions.sections import (
    return_section as return_section,
)
from ratings.decisions.sections import (
    unrate as unrate,
)
