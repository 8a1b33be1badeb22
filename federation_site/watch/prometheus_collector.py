"""Figures for Prometheus: what the web processes count together, and what the database says."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.db import Error
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from federation_site.watch.models import SignOfLife
from federation_site.watch.readiness_checks import Readiness, look, new_rules_wait
from players.importing.models import RegisterImport
from players.office.models import Federation, Ledger
from tournaments.events.file_models import Upload

CONTENT_TYPE = CONTENT_TYPE_LATEST


def exposition() -> bytes:
    """All figures in Prometheus' text form; the database's are left out where it does not answer."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(OfficeCollector())
    return generate_latest(registry)


class OfficeCollector(Collector):
    """Collects for Prometheus how the work stands, and when each thing of the clock was last done."""

    def collect(self) -> Iterator[Metric]:
        yield from of_readiness(look())
        try:
            yield from list(of_offices())
        except Error:
            return


def of_readiness(found: Readiness) -> Iterator[Metric]:
    yield gauge("office_ready", "1 where a web process may be given requests.", found.ready)
    yield gauge("office_working", "1 where the worker lives and no work is late.", found.working)
    if found.pending is not None:
        yield gauge("office_pending", "Offices whose ratings wait to be computed.", found.pending)
        yield gauge(
            "office_oldest_work_seconds", "Age of the oldest work that waits.", found.oldest_work or 0
        )
    if found.worker_seen is not None:
        yield gauge("office_worker_seen_seconds", "Seconds since the worker's last sign.", found.worker_seen)
    if found.files_seen is not None:
        words = "Seconds since the last sign of the worker of files, which gives none while it reads."
        yield gauge("office_files_worker_seen_seconds", words, found.files_seen)
    words = "Age of the oldest letter that no mail server has taken."
    yield gauge("office_oldest_letter_seconds", words, found.oldest_letter or 0)


def of_offices() -> Iterator[Metric]:
    ledgers = Ledger.objects.select_related("federation")
    counts = {
        "office_journal_lines": ("Lines in the journal.", "facts"),
        "office_decisions": ("Decisions on record.", "decisions"),
        "office_failed_attempts": ("Attempts at the present recompute that failed.", "attempts"),
    }
    for name, (words, field) in counts.items():
        family = GaugeMetricFamily(name, words, labels=["office"])
        for ledger in ledgers:
            family.add_metric([ledger.federation.code], getattr(ledger, field))
        yield family
    yield of_new_rules()
    unreadable = Upload.objects.filter(state=Upload.State.UNREADABLE).count()
    yield gauge("office_files_unreadable", "Event files that could not be read.", unreadable)
    refused_tables = RegisterImport.objects.filter(state=RegisterImport.State.REFUSED).count()
    yield gauge("office_tables_refused", "Tables of the register that were refused.", refused_tables)
    yield from of_signs()


def of_new_rules() -> Metric:
    family = GaugeMetricFamily(
        "office_new_rules_wait", "1 where new rules wait for the office's word.", labels=["office"]
    )
    waits = new_rules_wait()
    for code in Federation.objects.values_list("code", flat=True):
        family.add_metric([code], code in waits)
    return family


def of_signs() -> Iterator[Metric]:
    times = GaugeMetricFamily("office_last_done_timestamp", "When a thing was last done.", labels=["what"])
    differences = GaugeMetricFamily(
        "office_differences", "What the last verification found.", labels=["office"]
    )
    for sign in SignOfLife.objects.all():
        times.add_metric([sign.name], sign.at.timestamp())
        if sign.name == "verify":
            for office, found in sign.details.items():
                differences.add_metric([office], found)
    yield times
    yield differences


def gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=float(value))
