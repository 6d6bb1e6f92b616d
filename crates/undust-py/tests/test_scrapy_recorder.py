"""What the Scrapy add-on records, and what it hears of."""

import json
from types import SimpleNamespace

import pytest
import undust

pytest.importorskip("scrapy")

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy_helpers import counts, crawler_with, write_rules
from undust.scrapy import FailureMiddleware, Watcher
from undust.scrapy.memory import First
from undust.scrapy.recorder import Recorder, place
from undust.scrapy.requests import SAMPLE
from undust.scrapy.spares import MOST_SPARES

ITEM = "http://www.shop.example/item/7"
HTML = b"<title>Bees</title><link rel=canonical href=/bees><nav>Home</nav><p>Bees fly home."


class Shop(Spider):
    name = "shop"
    part = "north"


@pytest.fixture
def watch(tmp_path):
    """A watcher with a recorder; it is fed with answers, and what it wrote is read back."""
    return lambda **settings: Watch(tmp_path / "pages.jsonl", **settings)


class Watch:
    def __init__(self, path, **settings):
        self.path = path
        self.crawler = crawler_with(Shop, UNDUST_RECORD=str(path), **settings)
        self.crawler.spider = Shop()
        self.watcher = Watcher.from_crawler(self.crawler)

    def answer(self, url=ITEM, body=HTML, status=200, headers=None, cls=HtmlResponse, flags=None, at=None, **request):
        """One answer from the network to a request."""
        asked = Request(url, **request)
        response = cls(at or url, body=body, status=status, headers=headers, flags=flags, request=asked)
        assert self.watcher.process_response(asked, response) is response
        self.watcher.response_received(response, asked)

    def rows(self):
        self.watcher.spider_closed()
        return [json.loads(line) for line in self.path.read_text().splitlines()]


# The recorder


def test_a_page_is_a_line(watch):
    shop = watch()
    shop.answer()
    page = undust.read_page(ITEM, HTML, content_type="text/html")
    assert shop.rows() == [
        {
            "url": ITEM,
            "status": 200,
            "size": len(HTML),
            "digest": page["digest"],
            "simhash": page["simhash"],
            "title": "Bees",
            "canonical": "http://www.shop.example/bees",
            "undust_words": page["undust_words"],
        }
    ]
    # A version, and three digits for each word.
    assert page["undust_words"][0] == "1" and len(page["undust_words"]) == 1 + 3 * len("Bees fly home".split())
    assert counts(shop.crawler) == {"recorded": 1}


def test_texts_are_recorded_where_asked_for(watch):
    shop = watch(UNDUST_RECORD_TEXT=True)
    shop.answer()
    (row,) = shop.rows()
    assert row["text"] == "Bees fly home." and "undust_words" not in row


def test_long_texts_are_not_recorded(watch):
    shop = watch()
    for words in (10_000, 10_001):
        shop.answer(body=b"<p>" + b"bees fly " * (words // 2) + b"home " * (words % 2))
    whole, longer = shop.rows()
    assert len(whole["undust_words"]) == 1 + 3 * 10_000 and "undust_words" not in longer and "simhash" in longer


def test_lines_are_whole(watch):
    shop = watch()
    shop.path.write_bytes(b'{"url": "http://a/"}\n{"url": "htt')
    shop = watch()
    shop.answer()
    shop.answer(f"{ITEM}0", body="<title>日本\n</title>".encode(), headers={"Content-Type": "text/html; charset=utf-8"})
    shop.watcher.spider_closed()
    lines = shop.path.read_bytes().split(b"\n")
    assert lines[:2] == [b'{"url": "http://a/"}', b'{"url": "htt'] and lines[-1] == b"" and len(lines) == 5
    assert json.loads(lines[3])["title"] == "日本"


def test_places_are_filled_in_as_for_feeds(tmp_path):
    path = str(place("pages/%(name)s-%(part)s-%(time)s.jsonl", Shop()))
    assert path.startswith("pages/shop-north-20") and ":" not in path
    for template in ("%(nothing)s", "50%", "%s"):
        with pytest.raises(ValueError, match="^UNDUST_RECORD = "):
            Recorder(place(template, Shop()), False, None)
    with pytest.raises(ValueError, match="^UNDUST_RECORD = .*Is a directory"):
        Recorder(tmp_path, False, None)


def test_folders_are_made(tmp_path):
    Recorder(tmp_path / "a/b/pages.jsonl", False, None).close()
    assert (tmp_path / "a/b/pages.jsonl").exists()


# The watcher


def test_redirects_are_lines(watch):
    shop = watch()
    shop.answer(status=301, body=b"", headers={"Location": "/item/8#top"})
    shop.answer(status=302, body=b"", headers={"Location": "//shop.example/caf\xe9".encode("latin-1")})
    # Followed: the first hop was an answer, and is recorded by now; the second was a <meta>, and is not.
    hops = {"redirect_urls": ["http://a.org/1", "http://a.org/2"], "redirect_reasons": [301, "meta refresh"]}
    shop.answer(f"{ITEM}0", meta=hops)
    rows = shop.rows()
    assert rows[:2] == [
        {"url": ITEM, "status": 301, "redirect": "http://www.shop.example/item/8"},
        {"url": ITEM, "status": 302, "redirect": "http://shop.example/caf%E9"},
    ]
    assert rows[2] == {"url": "http://a.org/2", "status": 200, "redirect": f"{ITEM}0"}
    assert rows[3]["url"] == f"{ITEM}0" and len(rows) == 4


def test_a_browser_that_follows_redirects_itself(watch):
    shop = watch()
    shop.answer(at=f"{ITEM}/here")
    # Scrapy leaves out the fragment; that is none.
    shop.answer(f"{ITEM}#top", at=ITEM)
    rows = shop.rows()
    assert (rows[0]["url"], rows[0]["redirect"]) == (ITEM, f"{ITEM}/here") and "redirect" not in rows[1]


@pytest.mark.parametrize(
    ("body", "cls", "headers"),
    [
        (b"", Response, {}),
        (b"\x89PNG\0\xff", Response, {"Content-Type": "image/png"}),
        (b"\xff\xfe\xff", HtmlResponse, {"Content-Type": "text/html; charset=no-such-thing"}),
        (b"<title>" + b"<" * 10_000, HtmlResponse, {"Content-Type": b"\xff\xfe"}),
        (b'{"a": "\\ud800"}', TextResponse, {"Content-Type": "application/json"}),
    ],
)
def test_odd_answers_are_recorded_all_the_same(watch, body, cls, headers):
    shop = watch()
    shop.answer(body=body, cls=cls, headers=headers)
    shop.answer(status=404, body=body, cls=cls, headers=headers)
    rows = shop.rows()
    assert [row["status"] for row in rows] == [200, 404]
    assert rows[0]["size"] == len(body) and rows[0]["digest"] == rows[1]["digest"]
    # Of what is no text, digest and size are all there is.
    assert cls is not Response or rows[0].keys() == {"url", "status", "size", "digest"}


def test_a_page_without_words_is_known_by_its_digest(watch):
    shop = watch()
    shop.answer(body=b"<title>Bees</title><p>...")
    assert shop.rows()[0].keys() == {"url", "status", "size", "digest", "title"}


def test_odd_redirects_do_not_end_the_crawl(watch, caplog):
    shop = watch()
    request = Request(ITEM)
    response = Response(ITEM, status=301, headers={"Location": "http://["})
    assert shop.watcher.process_response(request, response) is response
    assert "undust: cannot read the answer" in caplog.text


def test_what_is_no_page_is_not_recorded(watch):
    shop = watch()
    shop.answer("http://www.shop.example/robots.txt", callback=NO_CALLBACK)
    shop.answer(method="POST", body=b"form")
    shop.answer(flags=["dataloss"])
    assert shop.rows() == []


def test_an_answer_that_ends_with_its_connection_is_whole(watch):
    shop = watch()
    shop.answer(flags=["partial"])
    assert [row["url"] for row in shop.rows()] == [ITEM]


#: What a recording of 0.1.0 has, what a new one has, and one with texts.
KINDS = [("simhash",), ("simhash", "undust_words"), ("text",)]


@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), KINDS])
def test_recordings_of_all_kinds_can_be_learned_from(watch, kinds):
    shop = watch(UNDUST_RECORD_TEXT=True)
    for n in range(400):
        body = f"<title>{n}</title><p>{' '.join(f'w{n * 31 + k}' for k in range(40))}"
        for url in (f"http://www.shop.example/item/{n}", f"http://www.shop.example/item/{n}?sid={n * 7}"):
            shop.answer(url, body=f"{body}<!-- {url} -->".encode())
    rows = [
        {name: value for name, value in {**row, **words_of(row)}.items() if name not in {"simhash", "text", "undust_words"} - {*kinds[n // 2 % len(kinds)]}}
        for n, row in enumerate(shop.rows())
    ]
    key = undust.Canonicalizer(undust.learn(rows)).canonicalize
    assert key("http://www.shop.example/item/5?sid=2") == key("http://www.shop.example/item/5")


def words_of(row):
    return {"undust_words": undust.read_page(row["url"], row["text"].encode(), content_type="text/plain")["undust_words"]}


def test_echoes_and_counters_are_seen_in_words_as_in_texts(watch):
    texts, words = watch(UNDUST_RECORD_TEXT=True), None
    for n in range(40):
        for view in ("", "?print=1", f"?sid={n}9", "?from=start"):
            url = f"http://www.shop.example/insects/insect{n}{view}"
            body = f"<title>Insects</title><p>You are here: insects insect{n} {view} and {' '.join(f'w{n * 31 + k}' for k in range(60))} seen {n * 7 + len(view)} times"
            texts.answer(url, body=body.encode())
    rows = texts.rows()
    words = [{name: value for name, value in {**row, **words_of(row)}.items() if name != "text"} for row in rows]
    clusters = [[page["cluster"] for page in undust.cluster(kind)[0]] for kind in (rows, words)]
    assert clusters[0] == clusters[1] and len(set(clusters[0])) < len(rows)


def test_the_sentinel_hears_of_it_all(watch, tmp_path):
    shop = watch(UNDUST_RULES=write_rules(tmp_path / "rules.json"), UNDUST_SKIP=True, JOBDIR=str(tmp_path / "job"))
    sample = f"{ITEM}?sid=2"
    first = Request(f"{ITEM}?sid=1")
    key = shop.crawler.request_fingerprinter.fingerprint(first)
    shop.crawler._undust.firsts.put(key, First(b"url", ("sid",)))
    # The first URL leads to another one of its key, and that to the page.
    shop.answer(first.url, status=301, headers={"Location": ITEM})
    shop.answer(ITEM)
    shop.answer(sample, meta={SAMPLE: sample})
    shop.answer(sample, body=HTML + b" Wasps do not.", meta={SAMPLE: sample})
    shop.answer(f"{ITEM}/next", meta={SAMPLE: f"{ITEM}/next"})
    shop.answer(f"{ITEM}/next?n", body=b"<p>Something else", meta={SAMPLE: f"{ITEM}/next?n"})
    # A failure that may pass says nothing.
    shop.answer(sample, status=503, meta={SAMPLE: sample})
    shop.rows()
    expected = {"recorded": 7, "judged": 2, "failed": 2, "failed/sid": 1, "failed/next": 1}
    assert counts(shop.crawler) == expected
    assert json.loads((tmp_path / "job/undust.json").read_text()) == {"switched_off": [], "trials": [[["sid"], 1, 2]]}


def test_another_url_takes_the_place_of_one_that_fails(watch, tmp_path):
    shop = watch(UNDUST_RULES=write_rules(tmp_path / "rules.json"), UNDUST_SAMPLE=0)
    dupefilter = Scheduler.from_crawler(shop.crawler).df
    failures = FailureMiddleware.from_crawler(shop.crawler)
    sent = []
    shop.crawler.engine = SimpleNamespace(crawl=lambda request: sent.append(request.url))
    urls = [f"{ITEM}?sid={n}" for n in range(6)]

    def seen(n):
        return dupefilter.request_seen(Request(urls[n]))

    assert [seen(0), seen(1), seen(2)] == [False, True, True]
    failures.process_exception(Request(urls[0]), IgnoreRequest())
    # The first that was dropped is sent, and passes now.
    assert sent == [urls[1]] and not seen(1)
    shop.answer(urls[1], status=503)
    # None was dropped meanwhile: it is the turn of the next that is found. Those that failed are not asked again.
    assert sent == [urls[1]] and [seen(0), seen(1), seen(3)] == [True, True, False]
    assert seen(4)
    shop.answer(urls[3])
    failures.process_exception(Request(f"{ITEM}0"), IgnoreRequest())
    assert sent == [urls[1]] and seen(5)
    assert counts(shop.crawler) == {"recorded": 2, "filtered": 4, "filtered/sid": 4}


def test_not_too_many_are_kept_in_reserve(watch, tmp_path):
    shop = watch(UNDUST_RULES=write_rules(tmp_path / "rules.json"), UNDUST_SAMPLE=0)
    spares = shop.crawler._undust.spares
    for n in range(MOST_SPARES + 5):
        spares.keep(str(n).encode(), Request(ITEM))
    assert len(spares._spares) == MOST_SPARES
