"""The Scrapy add-on's settings, fingerprints, filter and skips."""

import asyncio
import json

import pytest
import undust

pytest.importorskip("scrapy")

from scrapy import FormRequest, Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.http import Response
from scrapy.utils.misc import load_object
from scrapy.utils.request import RequestFingerprinter, fingerprint
from scrapy_helpers import ADDONS, counts, crawler_with, write_rules
from undust.scrapy import DupeFilter, SkipMiddleware
from undust.scrapy.options import Options
from undust.scrapy.requests import OPT_OUT, SAMPLE
from undust.scrapy.rules import RulesInForce

ITEM = "http://www.shop.example/item/7"


@pytest.fixture
def rules(tmp_path):
    return write_rules(tmp_path / "rules.json")


# The settings


def test_what_is_not_set():
    options = crawler_with(UNDUST_RECORD="x.jsonl")._undust.options
    assert options == Options(None, "x.jsonl", False, False, 0.01, 0.01, 1_000_000)


def test_shares_may_be_per_cents():
    options = crawler_with(UNDUST_RECORD="x.jsonl", UNDUST_SAMPLE="2.5%", UNDUST_MAX_FPR="0.02")._undust.options
    assert (options.sample, options.max_fpr) == (0.025, 0.02)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("UNDUST_RULES", 7, "not a path"),
        ("UNDUST_RULES", "nowhere.json", "No such file"),
        ("UNDUST_SAMPLE", "often", "not a number from 0 to 1"),
        ("UNDUST_SAMPLE", 1.5, "not a number from 0 to 1"),
        ("UNDUST_SAMPLE", "150%", "not a number from 0 to 1"),
        ("UNDUST_MAX_FPR", "abc%", "nor a share such as '1%'"),
        ("UNDUST_MAX_FPR", -1, "not a number from 0 to 1"),
        ("UNDUST_REMEMBER", 0, "not a whole number of 1 or more"),
        ("UNDUST_SKIP", "maybe", "neither True nor False"),
    ],
)
def test_settings_that_cannot_be_used_are_named(name, value, why):
    with pytest.raises(ValueError, match=f"^{name} = {value!r}: .*{why}"):
        crawler_with(**{name: value})


def test_a_broken_rule_file_is_named(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text('{"undust": 1, "sites": [{"site": "a.org", "rules": [{"match": "{"}]}]}')
    with pytest.raises(ValueError, match="^UNDUST_RULES = '.*rules.json': "):
        crawler_with(UNDUST_RULES=str(path))


def test_rules_that_are_not_in_force_are_told(tmp_path, caplog):
    rejected = [{"match": "{s}://{...}/{...}?sid={?}", "rewrite": "{s}://{...}/{...}", "review": "rejected"}]
    crawler_with(UNDUST_RULES=write_rules(tmp_path / "rules.json", rejected))
    assert "no rule in it is in force" in caplog.text


def test_without_settings_the_addon_says_what_it_needs(caplog):
    crawler = crawler_with()
    assert crawler.settings["DUPEFILTER_CLASS"] == "scrapy.dupefilters.RFPDupeFilter"
    assert "Disabled undust.scrapy.Addon: neither UNDUST_RULES" in caplog.text


def test_a_recorder_alone_filters_nothing():
    settings = crawler_with(UNDUST_RECORD="x.jsonl").settings
    assert settings["DUPEFILTER_CLASS"] == "scrapy.dupefilters.RFPDupeFilter"
    assert settings["DOWNLOADER_MIDDLEWARES"].getpriority("undust.scrapy.Watcher") is not None


class LoudFingerprinter(RequestFingerprinter):
    def fingerprint(self, request):
        return b"loud" + super().fingerprint(request)


@pytest.mark.parametrize("priority", ["default", "project", "spider", "cmdline"])
def test_what_was_set_before_is_kept_and_asked(rules, priority):
    class Custom(Spider):
        name = "custom"

        @classmethod
        def update_settings(cls, settings):
            settings.set("REQUEST_FINGERPRINTER_CLASS", LoudFingerprinter, priority)

    crawler = crawler_with(Custom, UNDUST_RULES=rules)
    assert crawler.settings["REQUEST_FINGERPRINTER_CLASS"] == "undust.scrapy.Fingerprinter"
    assert crawler.request_fingerprinter.fingerprint(Request(f"{ITEM}?sid=1")) == b"loud" + fingerprint(Request(ITEM))


def test_the_user_chooses_places_and_fallbacks(rules):
    crawler = crawler_with(
        UNDUST_RULES=rules,
        UNDUST_FALLBACK_REQUEST_FINGERPRINTER_CLASS=LoudFingerprinter,
        DOWNLOADER_MIDDLEWARES={"undust.scrapy.Watcher": None},
    )
    assert crawler.request_fingerprinter.fingerprint(Request(ITEM)).startswith(b"loud")
    assert crawler.settings["DOWNLOADER_MIDDLEWARES"]["undust.scrapy.Watcher"] is None


def test_our_own_classes_are_not_wrapped_twice(rules):
    crawler = crawler_with(UNDUST_RULES=rules, DUPEFILTER_CLASS=DupeFilter)
    assert crawler.settings.get("UNDUST_FALLBACK_DUPEFILTER_CLASS") is None
    assert not filter_of(crawler).request_seen(Request(ITEM))


# Fingerprints


@pytest.fixture
def fingerprint_of(rules):
    return crawler_with(UNDUST_RULES=rules).request_fingerprinter.fingerprint


def test_urls_of_a_page_have_one_fingerprint(fingerprint_of):
    request = Request(f"{ITEM}?sid=ab12")
    assert fingerprint_of(request) == fingerprint(Request(ITEM)) == fingerprint_of(Request("http://www.shop.example/print/7"))
    assert request.url == f"{ITEM}?sid=ab12"


def test_everything_else_counts_as_before(fingerprint_of):
    urls = [f"{ITEM}?sid={n}" for n in range(2)]
    for kind in ({"method": "POST", "body": b"x"}, {"method": "POST", "body": b"y"}, {"method": "HEAD"}):
        one, other = (fingerprint_of(Request(url, **kind)) for url in urls)
        assert one == other == fingerprint(Request(ITEM, **kind))
    form = FormRequest(urls[0], formdata={"q": "bees"})
    assert fingerprint_of(form) == fingerprint(FormRequest(ITEM, formdata={"q": "bees"}))


def test_keys_that_are_no_urls(fingerprint_of):
    assert fingerprint_of(Request(f"{ITEM}?ref=a")) == fingerprint_of(Request(f"{ITEM}?ref=b")) != fingerprint_of(Request(ITEM))
    assert fingerprint_of(Request("data:,x")) == fingerprint(Request("data:,x"))


@pytest.mark.parametrize("key", ["http://www.shop.example:*/", "http://[*]/", "*://*/*"])
def test_keys_that_scrapy_does_not_understand(rules, monkeypatch, key):
    crawler = crawler_with(UNDUST_RULES=rules)
    monkeypatch.setattr(crawler._undust.rules, "key", lambda url: key)
    one, other = (crawler.request_fingerprinter.fingerprint(Request(f"{ITEM}?n={n}")) for n in range(2))
    assert one == other


def test_keys_may_be_bytes_that_are_no_text(tmp_path):
    decode = {"match": "{s}://{...}/list/{n}", "rewrite": "{s}://{...}/tag/{decode(n)}"}
    crawler = crawler_with(UNDUST_RULES=write_rules(tmp_path / "rules.json", [decode]))
    keys = [crawler._undust.rules.key(f"http://www.shop.example/list/%{byte}") for byte in ("E9", "E8")]
    assert all(key.isascii() for key in keys) and len(set(keys)) == 2


def test_requests_can_opt_out(fingerprint_of):
    url = f"{ITEM}?sid=1"
    assert fingerprint_of(Request(url, meta={OPT_OUT: False})) == fingerprint(Request(url))
    assert fingerprint_of(Request(url, meta={OPT_OUT: True})) == fingerprint(Request(ITEM))


def test_a_fingerprint_is_made_once_and_again_under_other_rules(rules, monkeypatch):
    crawler = crawler_with(UNDUST_RULES=rules)
    in_force, request = crawler._undust.rules, Request(f"{ITEM}?sid=1")
    asked = []
    key = in_force.key
    monkeypatch.setattr(in_force, "key", lambda url: asked.append(url) or key(url))
    fingerprints = [crawler.request_fingerprinter.fingerprint(request) for _ in range(3)]
    assert set(fingerprints) == {fingerprint(Request(ITEM))} and len(asked) == 1
    in_force.switch_off(["sid", "unknown"])
    assert crawler.request_fingerprinter.fingerprint(request) == fingerprint(request)


class Modelled:
    """Rules with a model that takes 'v=...' out of URLs; learning a real one takes too long here."""

    def __init__(self, rules):
        self.rules = rules

    def __iter__(self):
        return iter(self.rules)

    def to_json(self):
        return json.dumps({**json.loads(self.rules.to_json()), "model": {"file": "x.safetensors", "xxh3": "0"}})

    def without(self, ids):
        return Modelled(self.rules.without(ids))


class Canonicalizer:
    def __init__(self, rules):
        self.has_model = isinstance(rules, Modelled)
        self.of_rules = undust.Canonicalizer(rules.rules if self.has_model else rules)
        self.fires = self.of_rules.fires

    def canonicalize(self, url):
        key = self.of_rules.canonicalize(url)
        return key.split(b"?v=" if isinstance(key, bytes) else "?v=")[0] if self.has_model else key


def test_models_can_be_blamed_and_switched_off(rules, monkeypatch):
    monkeypatch.setattr("undust.scrapy.rules.Canonicalizer", Canonicalizer)
    in_force = RulesInForce(Modelled(undust.RuleSet.load(rules)))
    url = f"{ITEM}?sid=1&v=2"
    assert (in_force.key(url), in_force.fires(url)) == (ITEM, ("sid", "model"))
    assert in_force.fires(f"{ITEM}?sid=1") == ("sid",)
    in_force.switch_off(["model"])
    assert (in_force.key(url), in_force.fires(url)) == (f"{ITEM}?v=2", ("sid",))
    in_force.switch_off(["sid"])
    assert (in_force.key(url), in_force.switched_off) == (url, {"model", "sid"})


# The filter


def filter_of(crawler):
    """The filter that Scrapy's scheduler would have."""
    return Scheduler.from_crawler(crawler).df


@pytest.fixture
def crawler(rules):
    return crawler_with(UNDUST_RULES=rules, UNDUST_SAMPLE=0)


@pytest.fixture
def seen(crawler):
    """Asks the filter about a URL, as a request of its own."""
    dupefilter = filter_of(crawler)
    return lambda url, **meta: dupefilter.request_seen(Request(url, meta=meta))


def test_duplicates_are_counted_if_only_rules_know_them(crawler, seen):
    urls = [f"{ITEM}?sid=1", f"{ITEM}?sid=2", f"{ITEM}?sid=2", f"{ITEM}?sid=1", f"{ITEM}?sid=3", ITEM, ITEM, f"{ITEM}0"]
    assert [seen(url) for url in urls] == [False, True, True, True, True, True, True, False]
    assert counts(crawler) == {"filtered": 3, "filtered/sid": 3}


def test_all_rules_with_a_part_in_it_are_counted(crawler, seen):
    assert not seen(f"{ITEM}?sid=1")
    assert seen("http://www.shop.example/print/7")
    assert counts(crawler) == {"filtered": 1, "filtered/print": 1, "filtered/sid": 1}


def test_what_is_no_business_of_rules_is_not_counted(crawler, seen):
    assert [seen("http://other.example/?sid=1") for _ in range(2)] == [False, True]
    assert [seen(f"{ITEM}?sid=1", undust=False) for _ in range(2)] == [False, True]
    assert counts(crawler) == {}


def test_the_filter_configured_before_decides(rules):
    crawler = crawler_with(UNDUST_RULES=rules, DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter")
    dupefilter = filter_of(crawler)
    assert [dupefilter.request_seen(Request(ITEM)) for _ in range(2)] == [False, False]


def test_redirects_to_the_same_key_lead_to_the_page(crawler, seen):
    http, https = f"{ITEM}?sid=1", ITEM
    assert not seen(http)
    assert not seen(https, redirect_urls=[http])
    # Whoever comes later does not come for the page.
    assert seen(https, redirect_urls=[f"{ITEM}?sid=2"])
    assert seen(https)
    # Round and round: without rules, the second visit would be a duplicate.
    assert seen(http, redirect_urls=[http, https])
    assert counts(crawler) == {}


def test_caches_do_not_answer_where_a_key_is_taken_again(crawler):
    dupefilter = filter_of(crawler)
    first, page = Request(f"{ITEM}?sid=1"), Request(ITEM, meta={"redirect_urls": [f"{ITEM}?sid=1"]})
    assert not dupefilter.request_seen(first) and not dupefilter.request_seen(page)
    assert "dont_cache" not in first.meta and page.meta["dont_cache"]


def test_redirects_after_a_job_is_resumed(crawler, seen):
    first, page = f"{ITEM}?sid=1", f"{ITEM}?sid=2"
    assert not seen(first)
    crawler._undust.firsts.__init__(10)
    assert not seen(page, redirect_urls=[first])
    assert seen(ITEM, redirect_urls=["http://www.shop.example/other"])


def test_a_redirect_to_itself_is_a_duplicate_as_before(seen):
    for url in (ITEM, f"{ITEM}0?sid=1"):
        assert not seen(url)
        assert seen(url, redirect_urls=[url])


def test_when_a_rule_is_switched_off_its_keys_are_open_again(crawler, seen):
    first, dropped = f"{ITEM}?sid=1", f"{ITEM}?sid=2"
    assert [seen(first), seen(dropped)] == [False, True]
    crawler._undust.rules.switch_off(["sid"])
    # Never fetched: the key's own URL, and the one that was dropped.
    assert [seen(ITEM), seen(dropped)] == [False, False]
    # Fetched already.
    assert [seen(first), seen(ITEM), seen(dropped)] == [True, True, True]


def test_samples_are_fetched_under_their_own_fingerprint(rules):
    crawler = crawler_with(UNDUST_RULES=rules, UNDUST_SAMPLE=1.0)
    dupefilter, sample = filter_of(crawler), Request(f"{ITEM}?sid=2")
    assert not dupefilter.request_seen(Request(f"{ITEM}?sid=1"))
    assert not dupefilter.request_seen(sample)
    assert sample.meta[SAMPLE] == sample.url
    assert crawler.request_fingerprinter.fingerprint(sample) == fingerprint(Request(sample.url))
    assert dupefilter.request_seen(Request(sample.url))
    # A spider that copies meta makes no sample of other requests.
    copied = Request(f"{ITEM}0?sid=3", meta=sample.meta)
    assert crawler.request_fingerprinter.fingerprint(copied) == fingerprint(Request(f"{ITEM}0"))
    # The page's plain URL is a duplicate, too, if it comes late.
    late = Request(ITEM)
    assert [dupefilter.request_seen(request) for request in (late, Request(ITEM))] == [False, True]
    assert late.meta["dont_cache"] and "dont_cache" not in sample.meta
    assert counts(crawler) == {"sampled": 2}


def test_the_same_share_is_sampled_each_time(rules):
    def sampled():
        crawler = crawler_with(UNDUST_RULES=rules, UNDUST_SAMPLE=0.1)
        dupefilter = filter_of(crawler)
        return [n for n in range(1000) if not dupefilter.request_seen(Request(f"{ITEM}?sid={n}"))]

    assert 60 < len(sampled()) < 140
    assert sampled() == sampled()


def test_no_samples_are_drawn_from_forms(rules):
    dupefilter = filter_of(crawler_with(UNDUST_RULES=rules, UNDUST_SAMPLE=1.0))
    requests = [Request(f"{ITEM}?sid={n}", method="POST", body=b"x") for n in range(2)]
    assert [dupefilter.request_seen(request) for request in requests] == [False, True]


def test_another_addon_around_ours(rules, tmp_path):
    """duplicate-url-discarder, loaded after us, wraps our fingerprinter; loaded before, it is the fallback."""
    pytest.importorskip("duplicate_url_discarder")
    discards = [{"args": ["utm_source"], "order": 1, "processor": "queryRemoval", "urlPattern": {"include": []}}]
    (tmp_path / "dud.json").write_text(json.dumps(discards))
    for place in (400, 600):
        addons = {**ADDONS, "duplicate_url_discarder.Addon": place}
        crawler = crawler_with(ADDONS=addons, UNDUST_RULES=rules, DUD_LOAD_RULE_PATHS=[str(tmp_path / "dud.json")], UNDUST_SAMPLE=0)
        dupefilter = filter_of(crawler)
        urls = [ITEM, f"{ITEM}?utm_source=mail", f"{ITEM}?sid=1", f"{ITEM}?utm_source=mail&sid=1"]
        assert [dupefilter.request_seen(Request(url)) for url in urls] == [False, True, True, True], place
        # The second is none of ours; and the last is the third, for duplicate-url-discarder.
        assert counts(crawler) == {"filtered": 1, "filtered/sid": 1}


# Skips


def follow(crawler, *requests):
    """What is left of a callback's requests, by both kinds of callbacks."""
    middleware = SkipMiddleware.from_crawler(crawler)
    response = Response(ITEM)

    async def generate():
        for request in requests:
            yield request

    async def collect():
        return [thing async for thing in middleware.process_spider_output_async(response, generate())]

    left = list(middleware.process_spider_output(response, requests))
    assert asyncio.run(collect()) == left
    return left


def test_skips_are_off_unless_asked_for(rules):
    place = "undust.scrapy.SkipMiddleware"
    assert place not in crawler_with(UNDUST_RULES=rules).settings["SPIDER_MIDDLEWARES"]
    assert place in crawler_with(UNDUST_RULES=rules, UNDUST_SKIP=True).settings["SPIDER_MIDDLEWARES"]
    assert load_object(place) is SkipMiddleware


def test_links_that_lead_to_nothing_new_are_skipped(rules):
    crawler = crawler_with(UNDUST_RULES=rules, UNDUST_SKIP=True, UNDUST_SAMPLE=0)
    skipped = Request(f"{ITEM}/next")
    wanted = [Request(skipped.url, dont_filter=True), Request(skipped.url, meta={OPT_OUT: False})]
    kept = [Request(ITEM), *wanted, {"item": 1}]
    assert follow(crawler, skipped, *kept, skipped) == kept
    assert counts(crawler) == {"skipped": 1, "skipped/next": 1}


def test_skipped_links_are_sampled(rules):
    crawler = crawler_with(UNDUST_RULES=rules, UNDUST_SKIP=True, UNDUST_SAMPLE=1.0)
    sample = Request(f"{ITEM}/next")
    assert follow(crawler, sample) == [sample]
    assert sample.meta[SAMPLE] == sample.url
    dupefilter = filter_of(crawler)
    assert [dupefilter.request_seen(sample) for _ in range(2)] == [False, True]
    assert counts(crawler) == {"sampled": 1}
