"""Prometheus metrics, of one process or of all workers together."""

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

TYPE = CONTENT_TYPE_LATEST
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # the library's own variable
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_DOCUMENTS = (1, 2, 4, 8, 16, 32, 64)


class Metrics:
    """What the server counts."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "umpteen_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "umpteen_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, registry=self._registry
        )
        self.batch = Histogram(
            "umpteen_batch_documents", "Documents ranked together.", buckets=_DOCUMENTS, registry=self._registry
        )
        self.waiting = Gauge(
            "umpteen_waiting_documents",
            "Documents waiting or being ranked.",
            multiprocess_mode="livesum",
            registry=self._registry,
        )
        self.refused = Counter("umpteen_refused", "Requests sent away by a full queue.", registry=self._registry)
        self.expired = Counter("umpteen_expired", "Requests that took too long.", registry=self._registry)
        self.reloads = Counter(
            "umpteen_reloads", "Models replaced while serving.", ["project"], registry=self._registry
        )
        self.failed_reloads = Counter(
            "umpteen_failed_reloads", "Replaced models that could not be read.", ["project"], registry=self._registry
        )
        self.labels = Gauge(
            "umpteen_labels", "Labels of a model.", ["project"], multiprocess_mode="max", registry=self._registry
        )
        self.corrections = Counter(
            "umpteen_feedback", "Corrections taken into the store.", ["project"], registry=self._registry
        )

    def text(self) -> bytes:
        """All of it as Prometheus reads it; with several workers, their sum."""
        if _SHARED not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
