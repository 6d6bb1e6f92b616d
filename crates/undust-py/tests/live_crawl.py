"""Crawls of real software by Scrapy: what is fetched with which rules, and which pages are missed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from live_servers import apache, dokuwiki, write_documents
from scrapy_helpers import run

SPIDER = Path(__file__).with_name("live_spider.py")


class LiveSite(NamedTuple):
    """A site that is served, and which page a URL of it is for, by what its software makes of URLs."""

    start: str
    page_of: Callable[[str], object]


class LiveCrawl(NamedTuple):
    """What a crawl fetched."""

    fetches: int
    #: What was shown at each URL.
    contents: dict[str, str]
    stats: dict[str, int]
    log: str

    def count(self, name: str) -> int:
        return self.stats.get(f"undust/{name}", 0)

    def missed(self, everything: LiveCrawl, site: LiveSite) -> list[str]:
        """URLs of the pages of a whole crawl that were fetched at no URL, and are not shown anywhere else either."""
        pages, contents = {site.page_of(url) for url in self.contents}, set(self.contents.values())
        missed = {
            site.page_of(url): url
            for url, content in everything.contents.items()
            if content not in contents and site.page_of(url) not in pages
        }
        return sorted(missed.values())


@contextmanager
def apache_listing(folder: Path, folders: int = 120) -> Iterator[LiveSite]:
    """Folders of documents, listed by Apache, which sorts them by name, date, size and description, both ways."""
    with apache(folder, write_documents(folder / "documents", folders=folders)) as port:
        yield LiveSite(f"http://127.0.0.1:{port}/", _listed)


@contextmanager
def wiki(folder: Path, pages: int = 40) -> Iterator[LiveSite]:
    """DokuWiki."""
    with dokuwiki(folder, pages=pages) as port:
        yield LiveSite(f"http://127.0.0.1:{port}/doku.php", _in_wiki)


def _listed(url: str) -> object:
    """A file, or a folder in any order."""
    return unquote(urlsplit(url).path).removesuffix("index.html")


def _in_wiki(url: str) -> object:
    split = urlsplit(url)
    query = dict(parse_qsl(split.query))
    name = query.pop("id", "start")
    do = query.pop("do", "index" if "idx" in query else "show")
    namespace = name.rpartition(":")[0]
    if do == "index":
        return do, query.get("idx", namespace)
    if do == "recent":
        return do, query.get("first", "0")
    if do == "media":
        # The same from every page; only its namespace is opened where none is named.
        return do, tuple(sorted({"ns": namespace, **query}.items()))
    if do == "diff":
        # Of two revisions, there are no more; side by side, if nothing else is asked for.
        return do, name, query.get("rev2[0]", query.get("rev")), query.get("difftype", "sidebyside")
    return split.path, do, name, tuple(sorted(query.items()))


def crawl(site: LiveSite, folder: Path, **settings: Any) -> LiveCrawl:
    """Crawl a site with these settings, in a process of its own."""
    fetched = folder / "fetched.jsonl"
    fetched.unlink(missing_ok=True)
    flags = " ".join(f"-s {name}={value}" for name, value in settings.items())
    log = run(folder, "", f"scrapy runspider {SPIDER} -a start={site.start} -o {fetched} {flags}")
    stats = {name: int(number) for name, number in re.findall(r"'([^']+)': (\d+)[,}]", log)}
    rows = [json.loads(line) for line in fetched.read_text().splitlines()]
    return LiveCrawl(stats["downloader/request_count"], {row["url"]: row["content"] for row in rows}, stats, log)
