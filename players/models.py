"""All models of this app, imported for Django to find; other code imports them where they are defined."""

from players.importing.models import (
    NamedColumns as NamedColumns,
)
from players.importing.models import (
    RegisterImport as RegisterImport,
)
from players.importing.models import (
    RegisterLine as RegisterLine,
)
from players.office.models import (
    Appointment as Appointment,
)
from players.office.models import (
    Decision as Decision,
)
from players.office.models import (
    DecisionWords as DecisionWords,
)
from players.office.models import (
    Federation as Federation,
)
from players.office.models import (
    Handover as Handover,
)
from players.office.models import (
    Ledger as Ledger,
)
from players.office.models import (
    LettersOrdered as LettersOrdered,
)
from players.office.models import (
    LetterSwitch as LetterSwitch,
)
from players.office.models import (
    Region as Region,
)
from players.office.models import (
    Role as Role,
)
from players.office.models import (
    SentForm as SentForm,
)
from players.office.models import (
    User as User,
)
from players.people.models import (
    PairOfTwo as PairOfTwo,
)
from players.people.models import (
    Transfer as Transfer,
)
from players.people.proof_files import (
    ProofFile as ProofFile,
)
from players.register.models import (
    BirthDate as BirthDate,
)
from players.register.models import (
    FormerName as FormerName,
)
from players.register.models import (
    Identifier as Identifier,
)
from players.register.models import (
    NameWord as NameWord,
)
from players.register.models import (
    Player as Player,
)
from players.register.models import (
    SealedName as SealedName,
)
