"""How fast URLs are made canonical from Python, beside w3lib and duplicate-url-discarder on the same list, in one run.

Rules are those of the package duplicate-url-discarder-rules for both of us: there as they are, here as `undust import` reads them.
Asked for are 10 times the speed call by call, and 50 times in batch. Batches run on all cores, so times are by the clock on the wall, the best of
several rounds; with `threads=1` beside them.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duplicate_url_discarder_rules
import pyarrow
import undust
from duplicate_url_discarder.url_canonicalizer import UrlCanonicalizer
from w3lib.url import canonicalize_url

ROOT = Path(__file__).resolve().parents[3]
FORUM = ROOT / "testdata/demo/phpbb2-computerforum.tsv.gz"
ROUNDS = 5


def forum_urls() -> list[str]:
    with gzip.open(FORUM, "rt") as file:
        return [line.split("\t", 1)[0] for line in file][1:]


def urls_of_rules(files: list[str]) -> list[str]:
    """URLs on which the rules have something to do: of their hosts, with the parameters they name."""
    urls = []
    for file in files:
        for rule in json.loads(Path(file).read_text()):
            names = [name for name in rule.get("args", []) if isinstance(name, str)]
            for pattern in rule["urlPattern"]["include"]:
                host, _, path = pattern.partition("/")
                if host and not set(pattern) & set("*|?^"):
                    query = "&".join(f"{name}=v{i}" for i, name in enumerate([*names[:3], "id", "page"]))
                    urls += [f"https://www.{host}/{path}", f"https://{host}/{path}?{query}"]
    return urls


def seconds(work) -> float:
    def one() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(one() for _ in range(ROUNDS))


def main() -> None:
    files = duplicate_url_discarder_rules.RULE_PATHS
    files = [str(path) for path in files]
    with tempfile.TemporaryDirectory() as folder:
        merged, rules = Path(folder, "dud.json"), Path(folder, "rules.json")
        merged.write_text(json.dumps([rule for file in files for rule in json.loads(Path(file).read_text())]))
        command = [sys.executable, "-m", "undust", "import", merged, "--from", "duplicate-url-discarder", "-o", rules]
        subprocess.run(command, check=True, capture_output=True)
        ours = undust.Canonicalizer(rules)
    discarder = UrlCanonicalizer(files)
    of_rules = urls_of_rules(files)
    urls = forum_urls() + of_rules * max(1, 13_000 // len(of_rules))
    array = pyarrow.array(urls)
    print(f"{len(urls):,} URLs, {len(ours.rules):,} rules on {len(ours.rules.sites):,} sites; microseconds a URL\n")

    def each(function):
        def work():
            for url in urls:
                function(url)

        return work

    def microseconds(work) -> float:
        return seconds(work) / len(urls) * 1e6

    peers = {
        "w3lib.canonicalize_url": microseconds(each(canonicalize_url)),
        "duplicate-url-discarder": microseconds(each(discarder.process_url)),
    }
    us = [
        ("canonicalize, call by call (asked: 10x)", microseconds(each(ours.canonicalize))),
        ("canonicalize_all, a list (asked: 50x)", microseconds(lambda: ours.canonicalize_all(urls))),
        ("  on one thread", microseconds(lambda: ours.canonicalize_all(urls, threads=1))),
        ("canonicalize_arrow, an array (asked: 50x)", microseconds(lambda: ours.canonicalize_arrow(array))),
        ("  on one thread", microseconds(lambda: ours.canonicalize_arrow(array, threads=1))),
    ]
    for name, cost in peers.items():
        print(f"{name:44}{cost:8.2f}")
    for name, cost in us:
        ratios = ", ".join(f"{peer_cost / cost:.0f}x {peer}" for peer, peer_cost in peers.items())
        print(f"{name:44}{cost:8.2f}   {ratios}")


if __name__ == "__main__":
    main()
