"""The add-on: one line in the settings puts all parts in their places."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from .crawl import Crawl

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

FINGERPRINTER = "undust.scrapy.Fingerprinter"
DUPEFILTER = "undust.scrapy.DupeFilter"
WATCHER = "undust.scrapy.Watcher"
FAILURES = "undust.scrapy.FailureMiddleware"
SKIPS = "undust.scrapy.SkipMiddleware"

# Nearer to the network than Scrapy's RedirectMiddleware (600), which lets nobody else see a redirect.
WATCHER_PLACE = 610
# Farther from it than Scrapy's RetryMiddleware (550).
FAILURES_PLACE = 540
# Before requests are counted and given depths; the place of Scrapy's own filters of links.
SKIPS_PLACE = 550


class Addon:
    """`ADDONS = {"undust.scrapy.Addon": 500}`."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Addon:
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Install what the settings ask for; what was there before is kept and asked, too."""
        crawl = Crawl.of(self._crawler)
        if crawl.options.rules is None and crawl.options.record is None:
            raise NotConfigured("neither UNDUST_RULES (a rule file to use) nor UNDUST_RECORD (a file to record to) is set")
        _add(settings, "DOWNLOADER_MIDDLEWARES", WATCHER, WATCHER_PLACE)
        if crawl.options.rules is not None:
            if crawl.rules.are_idle:
                logger.warning("UNDUST_RULES = %r: no rule in it is in force (see undust validate)", crawl.options.rules)
            _compose(settings, "REQUEST_FINGERPRINTER_CLASS", FINGERPRINTER)
            _compose(settings, "DUPEFILTER_CLASS", DUPEFILTER)
            _add(settings, "DOWNLOADER_MIDDLEWARES", FAILURES, FAILURES_PLACE)
            if crawl.options.skip:
                _add(settings, "SPIDER_MIDDLEWARES", SKIPS, SKIPS_PLACE)


def _compose(settings: BaseSettings, name: str, ours: str) -> None:
    """Put our class in the place of the one that is set, however that was done, and let ours build on it."""
    theirs = settings.get(name)
    if load_object(theirs) is load_object(ours):
        return
    settings.set(name, ours, settings.getpriority(name) or "addon")
    settings.set(f"UNDUST_FALLBACK_{name}", theirs, "addon")


def _add(settings: BaseSettings, name: str, ours: str, place: int) -> None:
    """Add a middleware, unless the user gave it another place or none."""
    components = settings[name]
    if all(load_object(component) is not load_object(ours) for component in components):
        components[ours] = place
