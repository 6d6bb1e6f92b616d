"""Our part of a crawl's statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy.crawler import Crawler


class Stats:
    """Counts under `undust/`."""

    def __init__(self, crawler: Crawler) -> None:
        # The statistics do not exist yet when add-ons are loaded.
        self._crawler = crawler

    def count(self, what: str, rules: Iterable[str] = ()) -> None:
        """One more of `undust/<what>`, and of `undust/<what>/<rule>` for each rule that had a part in it."""
        self._crawler.stats.inc_value(f"undust/{what}")
        for rule in rules:
            self._crawler.stats.inc_value(f"undust/{what}/{rule}")
