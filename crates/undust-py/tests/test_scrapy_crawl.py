"""Real crawls, by Scrapy in processes of their own, of a shop full of DUST; those of the documentation first."""

import json
import re
from pathlib import Path

import pytest
import undust

pytest.importorskip("scrapy")

import undust.scrapy
from conftest import ROOT
from loopback_site import HOME, Site
from scrapy_helpers import Crawled, crawl, crawler_with, examples, file_of, run, write_rules


def without(parameter):
    """A rule that says that a parameter does not matter."""
    return {"id": parameter, "match": f"{{s}}://{{...}}/{{...}}?{parameter}={{?}}&{{...}}", "rewrite": "{s}://{...}/{...}?{...}"}


RIGHT = [
    without("sid"),
    without("ref"),
    {"id": "full", "match": "{s}://{...}/{...}?view=full&{...}", "rewrite": "{s}://{...}/{...}?{...}"},
    {"id": "host", "match": "{s}://shop.example/{...}?{...}", "rewrite": "{s}://www.shop.example/{...}?{...}"},
    {"id": "index", "match": "{s}://{...}/{...}/index.html?{...}", "rewrite": "{s}://{...}/{...}?{...}"},
    {"id": "print", "match": "{s}://{...}/print/{n}", "rewrite": "{s}://{...}/item/{n}"},
]
#: Comments are no other view of an item.
WRONG = without("view")
NEXT = {"id": "next", "match": "{s}://{...}/item/{n}/next", "skip": True}
#: Nor are they at another place.
COMMENTS = {"id": "comments", "match": "{s}://{...}/item/{n}?view=comments", "skip": True}


@pytest.fixture(scope="module")
def site():
    with Site() as site:
        yield site


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands of the documentation are run."""
    return tmp_path_factory.mktemp("shop")


@pytest.fixture(scope="module")
def commands():
    """Those that crawl, learn, and crawl again."""
    install, commands = examples("sh")
    assert install == "make wheel\npip install --find-links target/wheels 'undust[scrapy]'\n"
    return commands.splitlines()


@pytest.fixture(scope="module")
def everything(site, folder, commands):
    """A crawl of the whole shop without rules, recorded."""
    return Crawled(site, folder, commands[0])


@pytest.fixture(scope="module")
def learned(site, folder, commands, everything):
    """The file of the rules that are learned from the recording alone."""
    run(folder, site.proxy, commands[1])
    return folder / "rules.json"


def test_a_crawl_without_rules_is_recorded(everything, folder):
    rows = [json.loads(line) for line in (folder / "pages.jsonl").read_text().splitlines()]
    assert len(rows) == everything.count("recorded") == everything.stats["downloader/response_count"]
    assert {row["url"] for row in rows if row["status"] == 200} == set(everything.urls)
    # The shop is as full of DUST as the documentation says.
    assert (len(everything.urls), len(everything.pages)) == (2106, 383)


def test_a_crawl_with_learned_rules_misses_nothing(site, folder, commands, everything, learned):
    spared = Crawled(site, folder, commands[2])
    assert len(commands) == 3 and learned.exists()
    assert spared.pages == everything.pages
    assert len(spared.urls) < 0.7 * len(everything.urls)
    # Every URL is either fetched or accounted for.
    assert spared.stats["downloader/request_count"] + spared.count("filtered") == everything.stats["downloader/request_count"]
    assert spared.count("filtered") > 1000 and 0 < spared.count("sampled") == spared.count("judged") < 50
    assert spared.count("failed") == 0
    print(f"{len(everything.urls)} URLs without rules, {len(spared.urls)} with them, {len(spared.pages)} pages")


def test_the_same_is_learned_from_python(folder, learned):
    assert list(map(repr, undust.learn(folder / "pages.jsonl"))) == list(map(repr, undust.RuleSet.load(learned)))


def test_the_settings_of_the_documentation(learned, monkeypatch):
    monkeypatch.chdir(learned.parent)
    settings = {}
    exec(file_of("settings.py"), settings)
    crawler = crawler_with(**{name: value for name, value in settings.items() if name.isupper()})
    assert crawler.settings["DUPEFILTER_CLASS"] == "undust.scrapy.DupeFilter"


def test_the_documentation_lists_every_setting_and_number():
    text = (ROOT / "docs/scrapy.md").read_text()
    code = "".join(path.read_text() for path in Path(undust.scrapy.__file__).parent.glob("*.py"))
    composed = {f"UNDUST_FALLBACK_{name}" for name in re.findall(r'_compose\(settings, "(\w+)"', code)}
    settings = composed | set(re.findall(r'"(UNDUST_\w+)"', code))
    assert settings == set(re.findall(r"^\| `(UNDUST_\w+)`", text, re.MULTILINE))
    counted = set(re.findall(r'stats\.count\("(\w+)"', code))
    assert counted == set(re.findall(r"`undust/(\w+)`", text.split("## Statistics")[1].split("##")[0]))


def test_a_rule_that_is_wrong_is_caught(site, everything, tmp_path):
    rules = write_rules(tmp_path / "rules.json", [*RIGHT, WRONG])
    caught = crawl(site, tmp_path, UNDUST_RULES=rules, UNDUST_SAMPLE=0.2)
    # Of seven rules, some of which fire together, it is the only one to be blamed.
    assert caught.count("disabled") == 1 and caught.count("failed/view") >= 3
    assert "rule view is switched off" in caught.log and "reject them in the rule file: view\n" in caught.log
    # From then on, comments are fetched.
    comments = {page for page in everything.pages if "comments" in page}
    assert len(comments) == 70 and len(comments - caught.pages) < 35
    assert everything.pages - caught.pages <= comments
    assert caught.count("filtered/sid") > 100


def test_pages_are_not_lost_behind_urls_that_may_not_be_fetched(site, everything, tmp_path):
    rules = write_rules(tmp_path / "rules.json", RIGHT)
    polite = crawl(site, tmp_path, UNDUST_RULES=rules, ROBOTSTXT_OBEY=True)
    assert polite.stats["robotstxt/forbidden"] > 0 and not any("/print/" in url for url in polite.urls)
    assert polite.pages == everything.pages


def test_an_interrupted_job_goes_on(site, everything, learned, tmp_path):
    settings = {"UNDUST_RULES": learned, "JOBDIR": "job", "UNDUST_SAMPLE": 0.05}
    first = crawl(site, tmp_path, CLOSESPIDER_PAGECOUNT=100, **settings)
    assert len(first.urls) < 300 and (tmp_path / "job/undust.json").exists()
    second = crawl(site, tmp_path, **settings)
    again = set(first.urls) & set(second.urls)
    # Requests that were under way when the first run ended, and the start, which Scrapy always fetches.
    assert len(again) < 20
    assert second.count("failed") == 0 and first.pages | second.pages == everything.pages


def test_links_to_nothing_new_are_skipped(site, everything, tmp_path):
    rules = write_rules(tmp_path / "rules.json", [*RIGHT, NEXT, COMMENTS])
    skipped = crawl(site, tmp_path, UNDUST_RULES=rules, UNDUST_SKIP=True, UNDUST_SAMPLE=0.2)
    sampled = {page for page in skipped.pages if "comments" in page}
    # Comments are at no other place: the samples tell.
    assert everything.pages - skipped.pages == {page for page in everything.pages if "comments" in page} - sampled
    assert skipped.count("skipped/comments") == 70 - len(sampled) and len(sampled) == skipped.count("failed/comments") > 3
    assert f"rule comments skips {len(sampled)} sampled URLs whose pages were not seen elsewhere" in skipped.log
    # What comes next is linked elsewhere.
    assert 0 < skipped.count("skipped/next") < 42 and skipped.count("failed/next") == 0
    # Rules for URLs that are skipped leave the others alone.
    assert skipped.count("failed/sid") == skipped.count("disabled") == 0


def test_with_duplicate_url_discarder_and_another_reactor(site, tmp_path):
    pytest.importorskip("duplicate_url_discarder")
    discards = [{"args": ["ref"], "order": 1, "processor": "queryRemoval", "urlPattern": {"include": ["shop.example"]}}]
    (tmp_path / "dud.json").write_text(json.dumps(discards))
    both = crawl(
        site,
        tmp_path,
        UNDUST_RULES=write_rules(tmp_path / "rules.json", [without("sid")]),
        DUD_LOAD_RULE_PATHS="dud.json",
        REQUEST_FINGERPRINTER_CLASS="duplicate_url_discarder.Fingerprinter",
        TWISTED_REACTOR="twisted.internet.selectreactor.SelectReactor",
        CLOSESPIDER_PAGECOUNT=300,
    )
    assert both.count("filtered/sid") > 10
    items = [url.removeprefix(HOME).split("?")[0] for url in both.urls if "?ref=" in url or "?sid=" in url]
    assert len(items) - len(set(items)) <= both.count("sampled")
