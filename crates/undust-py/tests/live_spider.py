"""The spider of the live crawls: follows every link of a site, and writes down what it fetched, also as a web archive where `WARC` names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import scrapy
from scrapy.http import HtmlResponse, Response
from undust import read_page

#: Nearer to the network than Scrapy's RedirectMiddleware (600): an archive has redirects, too.
WARC_PLACE = 620


class Crawl(scrapy.Spider):
    """`scrapy runspider live_spider.py -a start=URL`."""

    name = "live"
    allowed_domains = ("127.0.0.1",)
    custom_settings = {
        "ADDONS": {"undust.scrapy.Addon": 500},
        "COMPRESSION_ENABLED": False,
        "DOWNLOADER_MIDDLEWARES": {"live_spider.WarcWriter": WARC_PLACE},
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        # Neither server may be asked without end.
        "CLOSESPIDER_PAGECOUNT": 6000,
    }

    def __init__(self, start: str, **options: Any) -> None:
        super().__init__(**options)
        self.start_urls = [start]

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "content": content_of(response)}
        if isinstance(response, HtmlResponse):
            # To edit a page of a wiki locks it, and all views of it say so from then on.
            yield from response.follow_all(css="a:not([href*='do=edit'])")


def content_of(response: Response) -> str:
    """Equal for pages that show the same, in whatever order, but for the words of their own URLs."""
    content_type = (response.headers.get("Content-Type") or b"").decode()
    page = read_page(response.url, response.body, content_type=content_type)
    own = set(re.findall(r"\w+", unquote(response.url)))
    words = sorted(set(re.findall(r"\w+", page.get("text", page["digest"]))) - own)
    return blake2b(" ".join(words).encode(errors="replace"), digest_size=8).hexdigest()


class WarcWriter:
    """Writes each answer as a record of a web archive."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "wb")

    @classmethod
    def from_crawler(cls, crawler: Any) -> WarcWriter:
        path = crawler.settings.get("WARC")
        if not path:
            raise scrapy.exceptions.NotConfigured
        return cls(path)

    def process_response(self, request: scrapy.Request, response: Response, spider: Any = None) -> Response:
        headers = b"\r\n".join(b"%s: %s" % (name, b", ".join(values)) for name, values in response.headers.items())
        answer = b"HTTP/1.1 %d OK\r\n%s\r\n\r\n%s" % (response.status, headers, response.body)
        fields = {
            "WARC-Type": "response",
            "WARC-Record-ID": f"<urn:uuid:{uuid4()}>",
            "WARC-Date": "2026-01-01T00:00:00Z",
            "WARC-Target-URI": request.url,
            "Content-Type": "application/http; msgtype=response",
            "Content-Length": str(len(answer)),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._file.write(b"WARC/1.0\r\n%s\r\n%s\r\n\r\n" % (head.encode(), answer))
        self._file.flush()
        return response
