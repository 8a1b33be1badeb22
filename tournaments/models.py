"""All models of this app, imported for Django to find; other code imports them where they are defined."""

from tournaments.cases.models import (
    Case as Case,
)
from tournaments.cases.models import (
    CaseMessage as CaseMessage,
)
from tournaments.events.file_models import (
    Archive as Archive,
)
from tournaments.events.file_models import (
    ArchivedFile as ArchivedFile,
)
from tournaments.events.file_models import (
    Upload as Upload,
)
from tournaments.events.models import (
    Adjustment as Adjustment,
)
from tournaments.events.models import (
    Bye as Bye,
)
from tournaments.events.models import (
    Entry as Entry,
)
from tournaments.events.models import (
    Event as Event,
)
from tournaments.events.models import (
    Finding as Finding,
)
from tournaments.events.models import (
    Game as Game,
)
from tournaments.events.models import (
    Section as Section,
)
from tournaments.events.models import (
    Stage as Stage,
)
from tournaments.events.permission_models import (
    PermissionRequest as PermissionRequest,
)
from tournaments.history.models import (
    History as History,
)
from tournaments.history.models import (
    HistoryAnswer as HistoryAnswer,
)
from tournaments.history.models import (
    HistoryFile as HistoryFile,
)
from tournaments.mending.models import (
    Correction as Correction,
)
from tournaments.mending.models import (
    MendingProposal as MendingProposal,
)
from tournaments.review.appeal_models import (
    Appeal as Appeal,
)
from tournaments.review.models import (
    FiledSheet as FiledSheet,
)
from tournaments.review.models import (
    Remark as Remark,
)
from tournaments.review.models import (
    SectionTaking as SectionTaking,
)
