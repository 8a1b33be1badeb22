"""Officials' decisions: each verb is one transaction, and the record of decisions keeps it."""

from players.people.correct_and_forget import (
    correct_player as correct_player,
)
from players.people.correct_and_forget import (
    forget_name as forget_name,
)
from ratings.decisions.list_takings import (
    give_back_list as give_back_list,
)
from ratings.decisions.list_takings import (
    take_list as take_list,
)
from ratings.decisions.lists import (
    publish_list as publish_list,
)
from ratings.decisions.lists import (
    revise_list as revise_list,
)
from ratings.decisions.playoffs import record_playoff as record_playoff
from ratings.decisions.ranks import (
    confirm_rank as confirm_rank,
)
from ratings.decisions.rules import (
    apply_rules as apply_rules,
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
