"""What a request says about itself, and the two fingerprints that it has: by its key, and by its URL as it is."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from scrapy.http.request import NO_CALLBACK

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

#: `request.meta["undust"] = False`: rules have no say.
OPT_OUT = "undust"
#: The URL that is fetched as a sample. Spiders copy meta to other requests, and redirects do: it is a sample only under this URL.
SAMPLE = "undust_sample"


def is_sample(request: Request) -> bool:
    """Whether it is fetched to try out what rules say about its URL."""
    return request.meta.get(SAMPLE) == request.url


def is_opted_out(request: Request) -> bool:
    """Whether its fingerprint is that of its URL as it is. A sample's is: else caches would answer with the first URL's page."""
    return request.meta.get(OPT_OUT) is False or is_sample(request)


def is_for_spider(request: Request) -> bool:
    """Whether it asks for a page: not for robots.txt, nor for the image of an item."""
    return request.method == "GET" and request.callback is not NO_CALLBACK


def is_drawn(url: str, share: float) -> bool:
    """Whether a URL is in the sample of so large a share: always the same ones."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big") < share * 2**64


class Fingerprints:
    """Fingerprints of requests by the crawl's fingerprinter: ours, or one that another add-on wrapped around ours."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    def by_key(self, request: Request) -> bytes:
        """The fingerprint that rules give it, also where it is a sample."""
        if is_sample(request):
            meta = {name: value for name, value in request.meta.items() if name != SAMPLE}
            request = request.replace(meta=meta)
        return self._fingerprint(request)

    def by_url(self, request: Request) -> bytes:
        """The fingerprint that it would have without rules."""
        # Ours can be asked directly; through others, a copy that opts out finds its way.
        if by_url := getattr(self._crawler.request_fingerprinter, "undust_by_url", None):
            return cast("bytes", by_url(request))
        return self._fingerprint(request.replace(meta={**request.meta, OPT_OUT: False}))

    def _fingerprint(self, request: Request) -> bytes:
        return self._crawler.request_fingerprinter.fingerprint(request)
