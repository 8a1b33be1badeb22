"""Counters of the web processes; with `PROMETHEUS_MULTIPROC_DIR` set before, all of them together."""

from prometheus_client import Counter, Histogram

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

ANSWERED = Counter("office_requests", "Requests answered, by lane and status.", ["lane", "status"])
REFUSED = Counter("office_refusals", "Requests refused before a page was asked, by status.", ["status"])
TAKEN = Histogram(
    "office_request_seconds", "From a whole request to a whole answer.", ["lane"], buckets=SECONDS
)
