"""What the tests of the Scrapy add-on share."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import ROOT
from loopback_site import Site
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

ADDONS = {"undust.scrapy.Addon": 500}

RULES = [
    {"id": "sid", "match": "{s}://{...}/{...}?sid={?}&{...}", "rewrite": "{s}://{...}/{...}?{...}"},
    {"id": "ref", "match": "{s}://{...}/{...}?ref={?}&{...}", "rewrite": "{s}://{...}/{...}?ref=*&{...}"},
    {"id": "print", "match": "{s}://{...}/print/{n}?{...}", "rewrite": "{s}://{...}/item/{n}?{...}"},
    {"id": "next", "match": "{s}://{...}/item/{n}/next?{...}", "skip": True},
]


def write_rules(path: Path, rules: list[dict[str, Any]] = RULES) -> str:
    """A rule file of these rules for the shop."""
    path.write_text(json.dumps({"undust": 1, "sites": [{"site": "shop.example", "rules": rules}]}))
    return str(path)


def crawler_with(spider: type[Spider] = Spider, **settings: Any) -> Crawler:
    """A crawler with the add-on, ready to crawl."""
    return get_crawler(spider, {"ADDONS": ADDONS, **settings})


def counts(crawler: Crawler) -> dict[str, int]:
    """Our statistics, without their common beginning."""
    stats = crawler.stats.get_stats()
    return {name.removeprefix("undust/"): value for name, value in stats.items() if name.startswith("undust/")}


def examples(language: str) -> list[str]:
    """The examples in the documentation of the add-on."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs/scrapy.md").read_text(), re.MULTILINE | re.DOTALL)


def file_of(name: str) -> str:
    """The example that is the file of this name."""
    (text,) = (text for text in examples("python") if text.startswith(f"# {name}\n"))
    return text


class Crawled:
    """What a crawl fetched, counted and said."""

    def __init__(self, site: Site, folder: Path, command: str) -> None:
        (folder / "shop.py").write_text(file_of("shop.py"))
        site.take_fetched()
        self.log = run(folder, site.proxy, f"{command} -s LOG_LEVEL=INFO")
        fetched = site.take_fetched()
        self.urls = [url for url, _ in fetched]
        self.pages = {page for _, page in fetched}
        self.stats = {name: int(number) for name, number in re.findall(r"'([^']+)': (\d+)[,}]", self.log)}

    def count(self, name: str) -> int:
        return self.stats.get(f"undust/{name}", 0)


def crawl(site: Site, folder: Path, **settings: Any) -> Crawled:
    """Crawl the shop with the spider of the documentation."""
    flags = " ".join(f"-s {name}={value}" for name, value in settings.items())
    return Crawled(site, folder, f"scrapy runspider shop.py {flags}")


def run(folder: Path, proxy: str, command: str) -> str:
    """Run `scrapy` or `undust` in a process of its own, on a network that is the server at `proxy`; what it says."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        env={**environment, "http_proxy": proxy},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr
