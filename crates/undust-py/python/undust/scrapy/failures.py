"""Hears of requests that get no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .crawl import Crawl

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from .spares import Spares


class FailureMiddleware:
    """A downloader middleware that hears of requests without an answer, and of those that robots.txt forbids.

    Its place is behind Scrapy's RetryMiddleware, so that it hears only of those that are not tried again.
    """

    def __init__(self, spares: Spares) -> None:
        self._spares = spares

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FailureMiddleware:
        return cls(Crawl.of(crawler).spares)

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:
        """Let another request take its place."""
        self._spares.settle(request, fetched=False)
