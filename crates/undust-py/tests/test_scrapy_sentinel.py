"""What the Scrapy add-on remembers, compares and concludes."""

import math

import pytest

pytest.importorskip("scrapy")

from scrapy_helpers import counts, crawler_with, write_rules
from undust import read_page
from undust.scrapy.memory import First, Firsts, Memory
from undust.scrapy.sentinel import MOST_WAITING, Found
from undust.scrapy.sketch import GONE, is_same, sketch
from undust._undust import chance_of_failures as chance
from undust.scrapy.tally import Tally

ITEM = "http://www.shop.example/item/7"
TEXT = " ".join(f"bees{n} fly{n * 7} home{n * 13}" for n in range(60))


def page(text=TEXT, title="Bees", around="", url=ITEM):
    return sketch(read_page(url, f"<title>{title}</title><nav>{around}</nav><p>{text}</p>".encode(), content_type="text/html"))


# Memory


def test_memory_is_bounded():
    memory = Memory(10)
    for n in range(100):
        memory.put(bytes([n]), n)
        assert memory.get(bytes([n])) == n
    kept = list(memory.values())
    assert 5 <= len(kept) <= 10 and kept == list(range(100 - len(kept), 100))


def test_what_is_put_again_is_not_counted_twice():
    memory = Memory(4)
    for n in range(10):
        memory.put(b"x", n)
    memory.put(b"y", 0)
    assert (memory.get(b"x"), memory.get(b"y"), memory.get(b"z")) == (9, 0, None)


def test_a_memory_of_one_has_room_for_one():
    memory = Memory(1)
    memory.put(b"x", 1)
    memory.put(b"y", 2)
    assert memory.get(b"y") == 2


# Sketches


def test_pages_are_the_same_by_text_and_title():
    assert len(page()) == 400 and is_same(page(), page())
    assert is_same(page(), page(around="Good evening, you are visitor number 17"))
    assert not is_same(page(), page(title="Wasps"))
    assert not is_same(page(), page(" ".join(reversed(TEXT.split()[:90])) + " something else altogether"))


def test_echoes_and_the_order_of_rows_do_not_count():
    rows = TEXT.split()[:60]

    def listing(path, rows):
        return page(f"Index of /{path} {' '.join(rows)}", f"Index of /{path}", url=f"http://www.shop.example/{path}")

    assert is_same(listing("bees", rows), listing("wasps", rows[::-1]))
    assert not is_same(listing("bees", rows), listing("wasps", rows[:45]))


def test_other_files_are_the_same_byte_for_byte():
    one, other = (sketch(read_page(ITEM, body, content_type="image/png")) for body in (b"\0a", b"\0b"))
    assert is_same(one, one) and not is_same(one, other) and not is_same(one, page())


def test_what_is_gone_is_the_same_as_nothing():
    assert not is_same(GONE, GONE) and not is_same(GONE, page())


# Blame


def test_the_chance_of_failures_is_exact():
    for tried in (1, 7, 60):
        for failed in range(tried + 1):
            terms = (math.comb(tried, n) * 0.1**n * 0.9 ** (tried - n) for n in range(failed, tried + 1))
            assert chance(failed, tried, 0.1) == pytest.approx(sum(terms))
    assert chance(2_000, 100_000, 0.01) < 1e-100 < chance(1_000, 100_000, 0.01) < 0.6
    assert (chance(0, 5, 0.0), chance(1, 5, 0.0), chance(5, 5, 1.0)) == (1, 0, 1)


def tally_of(*trials, limit=0.01):
    """A tally of rows: the rules, how many trials failed, and how many did not."""
    tally = Tally(limit)
    for rules, failed, fine in trials:
        for n in range(failed + fine):
            tally.add(frozenset(rules.split()), n < failed)
    return tally


@pytest.mark.parametrize(
    ("trials", "guilty"),
    [
        # Two may be an accident; three of 82 are more than 1 % with 95 % confidence, three of 83 are not.
        ([("a", 2, 0)], None),
        ([("a", 3, 0)], "a"),
        ([("a", 3, 79)], "a"),
        ([("a", 3, 80)], None),
        # Who is often right with others is not to blame for who is always wrong.
        ([("a b", 3, 0), ("b", 0, 40)], "a"),
        # Who fails alone is surer to be wrong.
        ([("a b", 4, 0), ("b", 3, 0)], "b"),
        ([("a b", 3, 0), ("a", 0, 1), ("b", 1, 0)], "b"),
    ],
)
def test_who_is_guilty(trials, guilty):
    assert tally_of(*trials).guiltiest(frozenset("ab")) == guilty


def test_the_guilty_takes_its_failures_along():
    tally = tally_of(("a b", 5, 0), ("b", 1, 50))
    # By itself, 6 of 56 would do.
    assert tally.of("b") == (6, 56)
    assert tally.guiltiest(frozenset("ab")) == "a"
    tally.forget("a")
    assert tally.of("b") == (1, 51) and tally.guiltiest(frozenset("ab")) is None


def test_a_tally_survives_in_a_file():
    tally, again = tally_of(("a b", 5, 2), ("", 1, 0), ("b", 0, 3)), Tally(0.01)
    again.add_rows(tally.to_rows())
    assert again.to_rows() == tally.to_rows() == [[[], 1, 1], [["a", "b"], 5, 7], [["b"], 0, 3]]


# The sentinel


@pytest.fixture
def crawler(tmp_path):
    return crawler_with(UNDUST_RULES=write_rules(tmp_path / "rules.json"))


@pytest.fixture
def sentinel(crawler):
    return crawler._undust.sentinel


def wrong(n):
    return f"{ITEM}?sid={n}"


def test_samples_are_compared_with_the_first_page_of_their_key(crawler, sentinel):
    sentinel.saw(b"key", ITEM, Found(page()))
    sentinel.try_out(b"key", wrong(1), Found(page()))
    sentinel.try_out(b"key", wrong(2), Found(page(title="Wasps")))
    sentinel.try_out(b"key", wrong(3), Found(GONE))
    sentinel.try_out(b"other", wrong(4), Found(page()))
    assert counts(crawler) == {"judged": 2, "failed": 1, "failed/sid": 1}


def test_a_sample_waits_for_the_first_page(crawler, sentinel):
    crawler._undust.firsts.put(b"key", First(b"url", ("ref",)))
    sentinel.try_out(b"key", wrong(1), Found(page()))
    assert counts(crawler) == {}
    sentinel.saw(b"key", ITEM, Found(page(title="Wasps")))
    # Both rules had a part in it: the one that made the first URL's key, too.
    assert counts(crawler) == {"judged": 1, "failed": 1, "failed/ref": 1, "failed/sid": 1}


def test_not_too_many_wait(crawler, sentinel):
    crawler._undust.firsts.put(b"key", First(b"url", ()))
    for n in range(MOST_WAITING + 10):
        sentinel.try_out(b"key", wrong(n), Found(page()))
    sentinel.saw(b"key", ITEM, Found(page()))
    assert counts(crawler) == {"judged": MOST_WAITING}


def test_a_page_where_the_first_was_not_found_fails(crawler, sentinel):
    sentinel.saw(b"key", ITEM, Found(GONE))
    sentinel.try_out(b"key", wrong(1), Found(page()))
    assert counts(crawler)["failed"] == 1


@pytest.mark.parametrize(
    ("first", "sample", "result"),
    [
        # Both lead to the same place, or the sample leads to the first.
        (Found(moved=b"login"), Found(moved=b"login"), {"judged": 1}),
        (Found(moved=b"unknown"), Found(moved=b"unknown"), {"judged": 1}),
        (Found(page()), Found(moved=b"key"), {"judged": 1}),
        # What they lead to is compared.
        (Found(page()), Found(moved=b"copy"), {"judged": 1}),
        (Found(moved=b"copy"), Found(page()), {"judged": 1}),
        (Found(page()), Found(moved=b"login"), {"judged": 1, "failed": 1, "failed/sid": 1}),
        (Found(moved=b"unknown"), Found(page()), {}),
        (Found(page()), Found(moved=b"unknown"), {}),
    ],
)
def test_redirects_are_followed(crawler, sentinel, first, sample, result):
    sentinel.saw(b"copy", f"{ITEM}/copy", Found(page()))
    sentinel.saw(b"login", f"{ITEM}/login", Found(page(title="Log in")))
    sentinel.saw(b"key", ITEM, first)
    sentinel.try_out(b"key", wrong(1), sample)
    assert counts(crawler) == result


def test_redirects_that_wait_and_redirects_in_a_circle(crawler, sentinel):
    sentinel.saw(b"key", ITEM, Found(moved=b"key"))
    sentinel.try_out(b"key", wrong(1), Found(moved=b"late"))
    sentinel.saw(b"key", ITEM, Found(page()))
    assert counts(crawler) == {}
    sentinel.saw(b"late", f"{ITEM}/late", Found(page()))
    assert counts(crawler) == {"judged": 1}
    sentinel.saw(b"a", f"{ITEM}/a", Found(moved=b"b"))
    sentinel.saw(b"b", f"{ITEM}/b", Found(moved=b"a"))
    sentinel.try_out(b"a", wrong(2), Found(page()))
    assert counts(crawler) == {"judged": 1}


def test_rules_that_fail_are_switched_off(crawler, sentinel, caplog):
    sentinel.saw(b"key", ITEM, Found(page()))
    for n in range(5):
        sentinel.try_out(b"key", wrong(n), Found(page(title=f"Wasps {n}")))
    assert crawler._undust.rules.switched_off == {"sid"}
    assert crawler._undust.rules.key(wrong(1)) == wrong(1)
    # What follows is nobody's fault any more.
    assert counts(crawler) == {"judged": 5, "failed": 5, "failed/sid": 3, "disabled": 1}
    assert "rule sid is switched off: 3 of 3 sampled URLs" in caplog.text
    assert f"{wrong(0)} (key: {ITEM})" in caplog.text
    sentinel.close()
    assert "reject them in the rule file: sid" in caplog.text


def test_keys_of_rules_that_are_off_judge_nobody(crawler, sentinel):
    crawler._undust.firsts.put(b"key", First(b"url", ("ref",)))
    sentinel.saw(b"key", ITEM, Found(page()))
    crawler._undust.rules.switch_off(["ref"])
    sentinel.try_out(b"key", wrong(1), Found(page(title="Wasps")))
    assert counts(crawler) == {}


def test_a_job_goes_on_with_what_it_found_out(crawler, sentinel, tmp_path):
    path = tmp_path / "undust.json"
    sentinel.load(path)
    sentinel.saw(b"key", ITEM, Found(page()))
    for n in range(3):
        sentinel.try_out(b"key", wrong(n), Found(page(title="Wasps")))
    sentinel.try_out(b"key", f"{ITEM}?ref=1", Found(page()))
    sentinel.save(path)
    again = crawler_with(UNDUST_RULES=crawler.settings["UNDUST_RULES"])
    again._undust.sentinel.load(path)
    assert again._undust.rules.switched_off == {"sid"}
    assert again._undust.sentinel._tally.of("ref") == (0, 1)


# Skipped URLs


def test_skipped_pages_that_are_nowhere_else(crawler, caplog):
    skipped, sentinel = crawler._undust.skipped, crawler._undust.sentinel
    skipped.add(f"{ITEM}/next", "next", page())
    skipped.add(f"{ITEM}/next?2", "next", page(title="Wasps"))
    skipped.add(f"{ITEM}/next?3", "next", GONE)
    skipped.add(f"{ITEM}/next?4", "next", None)
    sentinel.saw(b"a", ITEM, Found(page(around="late")))
    sentinel.saw(b"b", ITEM, Found(GONE))
    skipped.close()
    assert counts(crawler) == {"failed": 1, "failed/next": 1}
    assert "rule next skips 1 sampled URLs whose pages were not seen elsewhere" in caplog.text
    assert f"{ITEM}/next?2" in caplog.text


def test_firsts_are_a_memory():
    firsts = Firsts(2)
    firsts.put(b"a", First(b"u", ()))
    assert firsts.get(b"a").url == b"u" and firsts.get(b"b") is None
