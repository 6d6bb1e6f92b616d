"""Counts duplicates that only rules know, draws samples of them, and sees that no page is lost behind its first URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.dupefilters import BaseDupeFilter
from scrapy.settings.default_settings import DUPEFILTER_CLASS

from .crawl import Crawl, build
from .memory import First, Memory
from .requests import SAMPLE, is_drawn, is_opted_out, is_sample

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler


class DupeFilter(BaseDupeFilter):
    """A filter around the one that was configured before, which decides; its fingerprints are made by our fingerprinter."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawl = Crawl.of(crawler)
        self._inner: Any = build(crawler, "UNDUST_FALLBACK_DUPEFILTER_CLASS", DUPEFILTER_CLASS)
        # Of URLs that rules had a say in: whether they were let through (or else, dropped).
        self._passed: Memory[bool] = Memory(self._crawl.options.remember)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DupeFilter:
        return cls(crawler)

    def open(self) -> Any:
        return self._inner.open()

    def close(self, reason: str) -> Any:
        return self._inner.close(reason)

    def log(self, request: Request, spider: Spider) -> None:
        self._inner.log(request, spider)

    def request_seen(self, request: Request) -> bool:
        """Whether the request is not worth being made."""
        if is_opted_out(request):
            return self._opted_out_seen(request)
        key = self._crawl.fingerprints.by_key(request)
        url = self._crawl.fingerprints.by_url(request)
        first = self._crawl.firsts.get(key)
        if not self._inner.request_seen(request):
            # What was fetched under a key that a rule gave it, and the rule is switched off by now, need not be fetched again.
            known = bool(self._crawl.rules.switched_off and self._passed.get(url))
            return known or self._take(key, url, request)
        passed = self._passed.get(url)
        # Without rules it would be a duplicate, too.
        if passed or url == (first.url if first and first.url else key):
            return True
        if self._is_open(first, key, request):
            # An HTTP cache would answer what it has under this key: the redirect, the failure.
            request.meta["dont_cache"] = True
            return self._take(key, url, request)
        return passed is not None or self._drop(first, key, url, request)

    def _opted_out_seen(self, request: Request) -> bool:
        seen = bool(self._inner.request_seen(request))
        if not seen and is_sample(request):
            self._crawl.stats.count("sampled")
        return seen

    def _take(self, key: bytes, url: bytes, request: Request) -> bool:
        """Let the request through; its URL is the first of the key."""
        changed = key != url
        self._crawl.firsts.put(key, First(url, self._crawl.rules.fires(request.url) if changed else ()))
        if changed or "redirect_urls" in request.meta:
            self._passed.put(url, True)
        return False

    def _is_open(self, first: First | None, key: bytes, request: Request) -> bool:
        """Whether the key is taken, but its page is still to be fetched."""
        if first and (first.fetched is False or not self._crawl.rules.switched_off.isdisjoint(first.rules)):
            return True
        # http://example.com/ took the key, and leads to https://example.com/, which has the same: the second is the page.
        sources = [request.replace(url=url) for url in request.meta.get("redirect_urls", ())]
        if first and first.url:
            return any(self._crawl.fingerprints.by_url(source) == first.url for source in sources)
        return any(self._crawl.fingerprints.by_key(source) == key for source in sources)

    def _drop(self, first: First | None, key: bytes, url: bytes, request: Request) -> bool:
        """Drop the request, since rules say that it is a duplicate; unless it is drawn as a sample."""
        if first and self._is_drawn(request):
            self._passed.put(url, True)
            request.meta[SAMPLE] = request.url
            if key == url:
                # An HTTP cache has the first URL's page under this fingerprint.
                request.meta["dont_cache"] = True
            # Filters that are kept on disk are to know it.
            self._inner.request_seen(request)
            self._crawl.stats.count("sampled")
            return False
        if first and first.fetched is None:
            self._crawl.spares.keep(key, request)
        self._passed.put(url, False)
        rules = {*self._crawl.rules.fires(request.url), *(first.rules if first else ())}
        self._crawl.stats.count("filtered", sorted(rules))
        return True

    def _is_drawn(self, request: Request) -> bool:
        return request.method == "GET" and is_drawn(request.url, self._crawl.options.sample)
