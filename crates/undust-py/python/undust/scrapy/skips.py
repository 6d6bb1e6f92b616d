"""Drops links that lead to nothing new, where the user asks for it (`UNDUST_SKIP`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request

from .crawl import Crawl
from .memory import Memory
from .requests import OPT_OUT, SAMPLE, is_drawn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class SkipMiddleware:
    """A spider middleware: it sees what callbacks ask for, and neither start requests nor redirects."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawl = Crawl.of(crawler)
        self._counted: Memory[bool] = Memory(self._crawl.options.remember)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SkipMiddleware:
        return cls(crawler)

    def process_spider_output(
        self, response: Response, result: Iterable[Any], spider: Spider | None = None
    ) -> Iterator[Any]:
        """What the callback returned, less what is skipped."""
        for thing in result:
            if not self._skips(thing):
                yield thing

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Spider | None = None
    ) -> AsyncIterator[Any]:
        """The same for callbacks that are generators of the other kind."""
        async for thing in result:
            if not self._skips(thing):
                yield thing

    def _skips(self, thing: Any) -> bool:
        if not isinstance(thing, Request) or thing.dont_filter or thing.meta.get(OPT_OUT) is False:
            return False
        rule = self._crawl.rules.skips(thing.url)
        if rule is None:
            return False
        if self._crawl.sentinel and thing.method == "GET" and is_drawn(thing.url, self._crawl.options.sample):
            thing.meta[SAMPLE] = thing.url
            return False
        self._count(thing.url, rule)
        return True

    def _count(self, url: str, rule: str) -> None:
        """Count URLs, not links: a link is on many pages."""
        if self._counted.get(url.encode()) is None:
            self._counted.put(url.encode(), True)
            self._crawl.stats.count("skipped", [rule])
