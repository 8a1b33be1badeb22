"""All models of this app, imported for Django to find; other code imports them where they are defined."""

from federation_site.processes.models import (
    Message as Message,
)
from federation_site.sign_in.history.models import (
    PastSignIn as PastSignIn,
)
from federation_site.watch.models import (
    SignOfLife as SignOfLife,
)
