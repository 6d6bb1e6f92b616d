"""Scrapy crawls real software on loopback. Rules that are learned from the default recording save fetches, lose no page, and do not worry the sentinel."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("scrapy")

from live_crawl import LiveSite, apache_listing, crawl, wiki
from live_servers import HAS_APACHE, HAS_DOKUWIKI
from scrapy_helpers import run


@pytest.mark.skipif(not HAS_APACHE, reason="no Apache")
def test_listings_of_apache(tmp_path: Path) -> None:
    with apache_listing(tmp_path) as site:
        check(site, tmp_path, least_saved=0.3)


@pytest.mark.skipif(not HAS_DOKUWIKI, reason="no DokuWiki")
def test_dokuwiki(tmp_path: Path) -> None:
    with wiki(tmp_path, pages=30) as site:
        check(site, tmp_path, least_saved=0.4)


def check(site: LiveSite, folder: Path, least_saved: float) -> None:
    everything = crawl(site, folder, UNDUST_RECORD="pages.jsonl")
    assert everything.count("recorded") == everything.fetches
    run(folder, "", "undust learn pages.jsonl -o rules.json")
    spared = crawl(site, folder, UNDUST_RULES="rules.json", UNDUST_SAMPLE=0.1)
    assert spared.missed(everything, site) == []
    assert spared.fetches < (1 - least_saved) * everything.fetches
    # A tenth of the duplicates is fetched again; none of it is something else.
    assert spared.count("judged") > 10 and spared.count("failed") == spared.count("disabled") == 0
