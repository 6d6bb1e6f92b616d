"""What if the first URL of a key cannot be fetched? Another one of the same page waits to take its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .requests import is_sample

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from .memory import Firsts
    from .requests import Fingerprints

#: Requests that are kept at the same time; beyond that, pages have to hope for another link.
MOST_SPARES = 10_000


class Spares:
    """Of each key whose first URL is still to be fetched, one request that was dropped."""

    def __init__(self, crawler: Crawler, firsts: Firsts, fingerprints: Fingerprints) -> None:
        self._crawler = crawler
        self._firsts = firsts
        self._fingerprints = fingerprints
        self._spares: dict[bytes, Request] = {}

    def keep(self, key: bytes, request: Request) -> None:
        """A request was dropped, and the first URL of its key is not fetched yet."""
        if len(self._spares) < MOST_SPARES:
            self._spares.setdefault(key, request)

    def settle(self, request: Request, fetched: bool) -> None:
        """It is known whether the first URL of a key could be fetched: if not, the key is open, and the spare one goes."""
        key = self._fingerprints.by_key(request)
        first = self._firsts.get(key)
        if first and not is_sample(request):
            first.fetched = fetched
            spare = self._spares.pop(key, None)
            if spare and not fetched:
                self._crawler.engine.crawl(spare)
