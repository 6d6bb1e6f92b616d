"""Sees all answers that come back from the network, and tells the recorder and the sentinel."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

from scrapy import signals
from scrapy.utils.job import job_dir
from w3lib.url import safe_url_string

from undust import read_page

from .crawl import Crawl
from .recorder import Recorder, place
from .requests import is_for_spider, is_sample
from .sentinel import Found
from .sketch import GONE, sketch

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

REDIRECTS = frozenset((301, 302, 303, 307, 308))
#: What is not there will not be there in a minute; other failures may pass.
NOT_THERE = frozenset((404, 410))
#: What Scrapy says of an answer that did not come as a whole. ("partial" says only that nothing but the end of the connection ended it, as is usual in
#: HTTP/1.0 and with PHP's own server.)
CUT = "dataloss"
#: The simhash of a text without words.
NO_WORDS = "0" * 16
#: In a Scrapy job directory.
STATE_FILE = "undust.json"


class Watcher:
    """A downloader middleware, since redirects do not come further, and a listener to Scrapy's signals. It changes nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawl = Crawl.of(crawler)
        self._recorder: Recorder | None = None
        if self._crawl.options.record:
            # Scrapy's shell has no spider yet.
            path = place(self._crawl.options.record, crawler.spider or crawler.spidercls)
            self._recorder = Recorder(path, self._crawl.options.record_text, self._crawl.stats)
        directory = job_dir(crawler.settings)
        self._state = Path(directory, STATE_FILE) if directory else None
        if self._crawl.sentinel and self._state:
            self._crawl.sentinel.load(self._state)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Watcher:
        watcher = cls(crawler)
        crawler.signals.connect(watcher.response_received, signals.response_received)
        crawler.signals.connect(watcher.spider_closed, signals.spider_closed)
        return watcher

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Response:
        """Look at redirects, before Scrapy follows them."""
        try:
            target = redirect_target(request, response)
            if target and is_for_spider(request):
                self._redirected(request, response.status, target)
        except Exception:
            # Nothing that a server sends may end the crawl.
            logger.exception("undust: cannot read the answer to %s", request)
        return response

    def response_received(self, response: Response, request: Request) -> None:
        """Look at an answer as the spider gets it: redirects followed, content decoded."""
        self._crawl.spares.settle(request, fetched=response.status < 400 or response.status in NOT_THERE)
        if not self._is_of_use(request, response):
            return
        page = read(request, response)
        if self._recorder:
            self._record_refreshes(request)
            self._recorder.page(request.url, response.status, page)
        if 200 <= response.status < 300:
            self._found(request, Found(sketch=sketch(page)))
        elif response.status in NOT_THERE:
            self._found(request, Found(sketch=GONE))

    def _is_of_use(self, request: Request, response: Response) -> bool:
        if self._recorder is None and self._crawl.sentinel is None:
            return False
        whole = CUT not in response.flags
        # Redirects were looked at before.
        return whole and is_for_spider(request) and redirect_target(request, response) is None

    def spider_closed(self) -> None:
        """End what is open."""
        if self._recorder:
            self._recorder.close()
        if self._crawl.sentinel:
            self._crawl.skipped.close()
            self._crawl.sentinel.close()
            if self._state:
                self._crawl.sentinel.save(self._state)

    def _redirected(self, request: Request, status: int, target: str) -> None:
        self._crawl.spares.settle(request, fetched=True)
        if self._recorder:
            self._recorder.redirect(request.url, status, target)
        if self._crawl.sentinel:
            self._found(request, Found(moved=self._crawl.fingerprints.by_key(request.replace(url=target))))

    def _record_refreshes(self, request: Request) -> None:
        """Record redirects by `<meta>`; those by answers are recorded already."""
        urls = [*request.meta.get("redirect_urls", ()), request.url]
        for source, target, reason in zip(urls, urls[1:], request.meta.get("redirect_reasons", ())):
            if self._recorder and not isinstance(reason, int):
                self._recorder.redirect(source, 200, target)

    def _found(self, request: Request, found: Found) -> None:
        sentinel = self._crawl.sentinel
        if sentinel is None:
            return
        key = self._crawl.fingerprints.by_key(request)
        skip = self._crawl.rules.skips(request.url) if self._crawl.options.skip else None
        if not is_sample(request):
            sentinel.saw(key, request.url, found)
        elif skip:
            self._crawl.skipped.add(request.url, skip, found.sketch)
        else:
            sentinel.try_out(key, request.url, found)


def redirect_target(request: Request, response: Response) -> str | None:
    """Where an answer leads, as Scrapy follows it."""
    location = response.headers.get("Location")
    if location is None or response.status not in REDIRECTS:
        return None
    return urldefrag(urljoin(request.url, safe_url_string(location))).url


def read(request: Request, response: Response) -> dict[str, Any]:
    """What is in an answer."""
    content_type = response.headers.get("Content-Type")
    page = read_page(request.url, response.body, content_type=content_type.decode("latin-1") if content_type else None)
    if page.get("simhash") == NO_WORDS:
        # Or else all pages without words, and with the same title, would be one.
        del page["simhash"]
    if response.url != urldefrag(request.url).url:
        # A browser followed redirects by itself.
        page["redirect"] = response.url
    return page
