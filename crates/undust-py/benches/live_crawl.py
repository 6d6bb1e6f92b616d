"""What rules save in crawls of real software, by what they were learned from: the default recording, one with texts, a web archive.

    python benches/live_crawl.py [UNDUST_SAMPLE [SITE]]

Apache (its listings) and DokuWiki are served on loopback (`make servers`), crawled by Scrapy without rules, then with those learned from each
recording. Missed are pages that were fetched at no URL.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from live_crawl import LiveCrawl, LiveSite, apache_listing, crawl, wiki
from scrapy_helpers import run

SITES = {"apache": apache_listing, "dokuwiki": wiki}
SHARE_SAMPLED = sys.argv[1] if sys.argv[1:] else "0.01"


def main() -> None:
    print("site      learned from        bytes  rules  fetches  saved  missed  judged  failed  disabled")
    for name in sys.argv[2:] or SITES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            with SITES[name](folder) as site:
                compare(name, site, folder)


def compare(name: str, site: LiveSite, folder: Path) -> None:
    """A line for each way to crawl a site."""
    everything = crawl(site, folder, UNDUST_RECORD="default.jsonl", WARC="pages.warc")
    print(f"{name:9} nothing    {'':27}{everything.fetches:9}")
    crawl(site, folder, UNDUST_RECORD="text.jsonl", UNDUST_RECORD_TEXT=True)
    for recording in ("default.jsonl", "text.jsonl", "pages.warc"):
        run(folder, "", f"undust learn {recording} -o rules-{recording}.json")
        spared = crawl(site, folder, UNDUST_RULES=f"rules-{recording}.json", UNDUST_SAMPLE=SHARE_SAMPLED)
        size = (folder / recording).stat().st_size // everything.fetches
        print(f"{name:9} {recording:14} {size:10} {line_of(spared, everything, site)}", flush=True)


def line_of(spared: LiveCrawl, everything: LiveCrawl, site: LiveSite) -> str:
    saved, missed = 1 - spared.fetches / everything.fetches, spared.missed(everything, site)
    rules = len([name for name in spared.stats if name.startswith("undust/filtered/")])
    counts = "".join(f"{spared.count(name):8}" for name in ("judged", "failed", "disabled"))
    shown = "".join(f"\n    missed: {url}" for url in missed[:5])
    return f"{rules:6} {spared.fetches:8} {saved:6.1%} {len(missed):7}{counts}{shown}"


if __name__ == "__main__":
    main()
