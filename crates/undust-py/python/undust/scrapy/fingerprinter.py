"""Requests for one page have one fingerprint."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from weakref import WeakKeyDictionary

from scrapy.settings.default_settings import REQUEST_FINGERPRINTER_CLASS

from .crawl import Crawl, build
from .requests import is_opted_out

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.utils.request import RequestFingerprinterProtocol


class Fingerprinter:
    """The fingerprint of a request is the one that the fingerprinter configured before gives to a request for its key.

    The request itself is not changed: its own URL is fetched.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._rules = Crawl.of(crawler).rules
        self._fallback: RequestFingerprinterProtocol = build(
            crawler, "UNDUST_FALLBACK_REQUEST_FINGERPRINTER_CLASS", REQUEST_FINGERPRINTER_CLASS
        )
        self._known: WeakKeyDictionary[Request, bytes] = WeakKeyDictionary()
        self._known_under = self._rules.switched_off

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Fingerprinter:
        return cls(crawler)

    def fingerprint(self, request: Request) -> bytes:
        """The fingerprint of the request's key, or of its URL where `request.meta["undust"]` is `False`."""
        if is_opted_out(request):
            return self._fallback.fingerprint(request)
        if self._known_under is not self._rules.switched_off:
            self._known.clear()
            self._known_under = self._rules.switched_off
        fingerprint = self._known.get(request)
        if fingerprint is None:
            fingerprint = self._fallback.fingerprint(self._with_key(request))
            self._known[request] = fingerprint
        return fingerprint

    def undust_by_url(self, request: Request) -> bytes:
        """The fingerprint that the request would have without rules."""
        return self._fallback.fingerprint(request)

    def _with_key(self, request: Request) -> Request:
        key = self._rules.key(request.url)
        if key == request.url:
            return request
        try:
            return request.replace(url=key)
        except ValueError:
            # A key need not be a URL: http://example.com:*/ has no port that Scrapy understands.
            return request.replace(url=f"undust://key/{quote(key, safe='', errors='surrogatepass')}")
