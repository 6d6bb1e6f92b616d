"""Clusters of pages that real software serves, against what is known from their URLs."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest
import undust
from live_servers import HAS_APACHE, HAS_DOKUWIKI, apache, dokuwiki, write_documents

MAX_PAGES = 1500


def crawl(start: str, wanted: Callable[[str], bool]) -> list[dict[str, object]]:
    """The HTML pages of a host, breadth first, as `cluster` reads them."""
    host = start[: start.index("/", 8)]
    queue, known, pages = [start], {start}, []
    # The queue grows meanwhile.
    for url in queue:
        if len(pages) == MAX_PAGES:
            break
        try:
            with urlopen(url, timeout=20) as answer:
                text = answer.read().decode("utf-8", "replace") if "html" in answer.headers["Content-Type"] else ""
        except HTTPError:
            continue
        if text:
            pages.append({"url": url, "status": 200, "html": text})
        links = [urldefrag(urljoin(url, html.unescape(link)))[0] for link in re.findall(r'href="([^"]+)"', text)]
        new = [link for link in dict.fromkeys(links) if link not in known and link.startswith(host) and wanted(link)]
        known.update(new)
        queue += new
    return pages


def partition(pages: list[dict[str, object]], key: Callable[[str], object]) -> set[frozenset[str]]:
    """The URLs of pages in sets of one key each; those without one are left out."""
    sets: dict[object, set[str]] = defaultdict(set)
    for page in pages:
        if (name := key(str(page["url"]))) is not None:
            sets[name].add(str(page["url"]))
    return {frozenset(urls) for urls in sets.values()}


def clustered(pages: list[dict[str, object]], truth: Callable[[str], object], **options: str) -> set[frozenset[str]]:
    """Our clusters of those URLs that the truth speaks of."""
    found = {page["url"]: page["cluster"] for page in undust.cluster(pages, **options).pages}
    return partition(pages, lambda url: found[url] if truth(url) is not None else None)


@pytest.mark.skipif(not HAS_APACHE, reason="needs Apache")
@pytest.mark.parametrize("markup", ["HTMLTable", "-HTMLTable"])
def test_a_listing_is_one_page_however_it_is_sorted(tmp_path: Path, markup: str) -> None:
    documents = write_documents(tmp_path / "documents")
    with apache(tmp_path, documents, f'<Directory "{documents}">\nIndexOptions FancyIndexing {markup}\n</Directory>\n') as port:
        pages = crawl(f"http://127.0.0.1:{port}/", lambda url: url.endswith("/") or "?C=" in url)
    listings = partition(pages, lambda url: urlsplit(url).path)
    assert sum(len(urls) > 5 for urls in listings) > 10
    assert clustered(pages, lambda url: url) == listings
    kept = clustered(pages, lambda url: url, row_order="keep")
    assert len(kept) > 2 * len(listings), "the order counts if it shall"


def shown_by_dokuwiki(url: str) -> str | None:
    """What a URL shows: a page, or the sitemap with one namespace open."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query, keep_blank_values=True).items()}
    page, action = query.get("id", "start"), query.get("do", "")
    if "idx" in query:
        return f"sitemap {query['idx']}"
    if action == "index":
        return f"sitemap {page.rpartition(':')[0]}"
    return f"page {page}" if action in ("", "show") and "rev" not in query else None


@pytest.mark.skipif(not HAS_DOKUWIKI, reason="needs PHP and DokuWiki")
def test_a_sitemap_is_one_page_whatever_page_it_was_opened_from(tmp_path: Path) -> None:
    with dokuwiki(tmp_path, pages=40) as port:
        pages = crawl(f"http://127.0.0.1:{port}/doku.php", lambda url: "/doku.php" in url and not re.search("do=(edit|media|diff)", url))
    truth = partition(pages, shown_by_dokuwiki)
    assert sum(len(urls) > 30 for urls in truth) > 5
    assert clustered(pages, shown_by_dokuwiki) == truth
