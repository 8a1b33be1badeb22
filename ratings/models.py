"""Every model of this app, for Django to find; the code imports them from where they are."""

from ratings.hints.models import (
    Hint as Hint,
)
from ratings.hints.models import (
    HintAnswer as HintAnswer,
)
from ratings.hints.models import (
    HintsSearch as HintsSearch,
)
from ratings.journal.models import (
    Fact as Fact,
)
from ratings.journal.models import (
    StatedPre as StatedPre,
)
from ratings.lists.models import (
    ListRow as ListRow,
)
from ratings.lists.models import (
    ListTaking as ListTaking,
)
from ratings.lists.models import (
    RatingList as RatingList,
)
from ratings.office.desk.models import (
    DoublesCount as DoublesCount,
)
from ratings.office.desk.models import (
    ReviewFigures as ReviewFigures,
)
from ratings.office.merging.models import (
    MergeOutlook as MergeOutlook,
)
from ratings.proof.program.models import (
    ProgramFile as ProgramFile,
)
from ratings.recompute.models import (
    RulesVersion as RulesVersion,
)
from ratings.results.models import (
    Change as Change,
)
from ratings.results.models import (
    CorrectedRating as CorrectedRating,
)
from ratings.results.models import (
    Erratum as Erratum,
)
from ratings.results.models import (
    PastChange as PastChange,
)
from ratings.results.models import (
    PastWide as PastWide,
)
from ratings.results.models import (
    Standing as Standing,
)
from ratings.results.models import (
    Wide as Wide,
)
from ratings.signing.models import (
    Checkpoint as Checkpoint,
)
from ratings.signing.models import (
    Cosignature as Cosignature,
)
from ratings.signing.models import (
    LogKey as LogKey,
)
from ratings.signing.models import (
    TreeTile as TreeTile,
)
