"""Connections to PostgreSQL that give up a server which does not answer.

A server that hangs keeps none of its own time limits, and its machine goes on acknowledging what is sent. So
the client looks at the clock. `PATIENCE` in the settings of a database is the number of seconds for which a
connection or an answer is waited for; without it, as in commands of `manage.py`, there is no limit.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def patience(self) -> float | None:
        patience: float | None = self.settings_dict.get("PATIENCE")
        return patience

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters, with the patience. A server that is only slow says so before its end."""
        params: dict[str, Any] = super().get_connection_params()
        if self.patience:
            params["connect_timeout"] = min(params.get("connect_timeout", self.patience), self.patience)
            limit = f"-c statement_timeout={round(self.patience * 900)}"
            params["options"] = f"{params.get('options', '')} {limit}".strip()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.wait = partial(self._wait, connection, connection.wait)
        return connection

    def _wait(self, connection: Any, wait: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Wait for an answer as the driver does. Raises OperationalError if there is none in time, with the
        connection closed.
        """
        if not self.patience:
            return wait(*args, **kwargs)
        begun = time.monotonic()
        try:
            return wait(*args, **{"timeout": self.patience, **kwargs})
        except self.Database.OperationalError as error:
            if time.monotonic() - begun < self.patience:
                raise
            connection.close()
            words = f"PostgreSQL has not answered for {self.patience:.0f} s"
            raise self.Database.OperationalError(words) from error
