"""All models of this app, imported for Django to find; other code imports them where they are defined."""

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
