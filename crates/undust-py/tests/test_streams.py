"""Streams of rows that are sorted by site, as the tasks of a cluster read them."""

import pyarrow as pa
import pytest
import undust
from undust import _undust
from undust._learning import learn_keywords

DEFAULTS = learn_keywords("auto", 0.01, None, True, False, 200_000, 0, "domain")


def batch(rows):
    return pa.RecordBatch.from_pylist([{"site": site, "url": url, "cluster": cluster} for site, url, cluster in rows])


def shop(site, pages):
    return [(site, f"http://{site}/t?id={i}&sid={s}", str(i)) for i in range(pages) for s in "ab"]


def learned(stream, *batches):
    parts = [pa.record_batch(stream.push(one)) for one in batches] + [pa.record_batch(stream.finish())]
    return {row["site"]: row for part in parts for row in part.to_pylist()}


def test_a_lost_sort_is_an_error():
    stream = _undust.SiteStream(DEFAULTS, 1 << 30, 60.0)
    with pytest.raises(RuntimeError, match="rows are not sorted by site: 'a.com' comes behind 'b.com'"):
        stream.push(batch([("b.com", "http://b.com/", "x"), ("a.com", "http://a.com/", "x")]))


def test_sites_are_gathered_as_if_learned_together():
    rows = [*shop("a.com", 300), *shop("b.com", 10), *shop("c.com", 400)]
    sites = learned(_undust.SiteStream(DEFAULTS, 1 << 30, 60.0), batch(rows[:500]), batch(rows[500:]))
    assert list(sites) == ["a.com", "b.com", "c.com"] and sites["b.com"]["rules"] is None
    files = [(sites[site]["rules"], None) for site in ("c.com", "a.com")]
    urls, clusters = (sum(site[name] for site in sites.values()) for name in ("urls", "clusters"))
    rules = _undust.gather(files, urls, clusters, DEFAULTS)
    expected = undust.learn([{"url": url, "cluster": cluster} for _, url, cluster in rows])
    assert rules.to_json() == expected.to_json() and rules.sites == ["a.com", "c.com"]


def test_a_site_that_takes_too_long_is_a_row():
    rows = [*shop("large.com", 2000), *shop("small.com", 300)]
    sites = learned(_undust.SiteStream(DEFAULTS, 1 << 30, 0.0), batch(rows))
    assert sites["large.com"]["error"] == "took longer than 0 s" and sites["large.com"]["rules"] is None
    assert sites["small.com"]["error"] is None and sites["small.com"]["saved"] == 300
    for wrong in (-1.0, float("nan")):
        with pytest.raises(undust.UndustError, match="max_seconds"):
            _undust.SiteStream(DEFAULTS, 1 << 30, wrong)
