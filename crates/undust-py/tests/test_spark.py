"""The learner on a Spark cluster of a master and two workers gives what the command gives."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import undust
from conftest import FORUM, ROOT
from spark_cluster import Cluster, session

pytest.importorskip("pyspark")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java: Spark needs 17 or later (apt-get install openjdk-17-jre-headless)", allow_module_level=True)

from undust import spark as undust_spark  # noqa: E402

DATA = Path(os.environ.get("UNDUST_DATA", ROOT.parent / "shared/data"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def spark(cluster):
    spark = session(cluster.master)
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def forum(tmp_path_factory):
    """The forum as Parquet, with a few small sites beside it."""
    with gzip.open(FORUM, "rt") as file:
        names = next(file).rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in file]
    for site in range(40):
        rows += [
            {"url": f"http://www.shop{site}.com/item?id={i}&sid={s}", "cluster": f"s{site}-{i}", "digest": "x", "size": "1"}
            for i in range(10 + site * 10)
            for s in "ab"
        ]
    path = tmp_path_factory.mktemp("data") / "pages.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=5000)
    return path


def command_rules(folder, *arguments):
    """What the command learns."""
    path = folder / "rules.json"
    run = subprocess.run([sys.executable, "-m", "undust", "learn", *map(str, arguments), "-o", path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return undust.RuleSet.load(path)


def test_rules_are_those_of_the_command(spark, forum, tmp_path):
    learned = undust_spark.learn(spark.read.parquet(str(forum))).cache()
    rules = undust_spark.rule_set(learned)
    expected = command_rules(tmp_path, forum)
    assert rules.to_json() == expected.to_json() and rules == expected
    assert len(rules.sites) > 5
    rows = {row["site"]: row for row in learned.collect()}
    assert len(rows) == 41 and rows["computer-forum.net"]["rows"] == 13424
    assert all(row["share"] == 1 and row["bad"] == 0 and row["error"] is None for row in rows.values())


def test_what_is_saved_is_read_by_the_command(spark, forum, tmp_path):
    rules = undust_spark.rule_set(undust_spark.learn(spark.read.parquet(str(forum)), method="rewrite"), method="rewrite")
    rules.save(tmp_path / "spark.json")
    command_rules(tmp_path, forum, "--method", "rewrite")
    assert (tmp_path / "spark.json").read_bytes() == (tmp_path / "rules.json").read_bytes()


def test_canonical_forms_and_scores(spark, forum, tmp_path):
    rules = command_rules(tmp_path, forum)
    pages = spark.read.parquet(str(forum))
    for form in ("key", "url"):
        canonical = undust_spark.canonicalize(pages, rules, form=form)
        assert canonical.columns == [*pages.columns, f"undust_{form}"]
        canonicalizer = undust.Canonicalizer(rules, form=form)
        for row in canonical.select("url", f"undust_{form}").limit(500).collect():
            assert row[1] == canonicalizer(row[0])
    scores = {row["site"]: row.asDict() for row in undust_spark.evaluate(pages, rules).collect()}
    expected = undust.evaluate(rules, forum)
    assert len(scores) == len(expected["sites"]) == 41
    for site in expected["sites"]:
        ours = scores[site["site"]]
        assert ours["crawled"] == site["crawled"] and ours["f1"] == site["metrics"]["f1"]


def test_spark_md(spark, forum, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/spark.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    exec("\n".join(examples).replace("pages.parquet", str(forum)), {"spark": spark})
    assert undust.RuleSet.load("rules.json").sites


def test_real_sites(spark, tmp_path):
    files = sorted((DATA / "sites").glob("*.tsv.gz"))
    if not files:
        pytest.skip("the labelled sites are not here")
    rows = [row for file in files for row in _labelled(file)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "sites.parquet", row_group_size=10_000)
    learned = undust_spark.learn(spark.read.parquet(str(tmp_path / "sites.parquet")), method="rewrite")
    rules = undust_spark.rule_set(learned, method="rewrite")
    assert rules == command_rules(tmp_path, tmp_path / "sites.parquet", "--method", "rewrite")


def _labelled(file):
    with gzip.open(file, "rt", errors="replace") as lines:
        names = next(lines).rstrip("\n").split("\t")
        for line in lines:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            yield {"url": row["url"], "cluster": row["cluster"]}


def test_bad_rows_are_counted_and_nothing_else_is_lost(spark, tmp_path):
    good = [f"http://a.com/t?id={i}&sid={s}".encode() for i in range(600) for s in "ab"]
    bad = [None, b"", b"http://a.com/" + b"x" * 1_000_000, b"http://a.com/\xff\xfe?sid=1", b"no url at all"]
    urls = [*good, *bad]
    clusters = [str(i // 2) for i in range(len(good))] + ["bad"] * len(bad)
    # Declared to be text, which nobody checks.
    table = pa.table({"url": pa.array(urls, pa.binary()).view(pa.string()), "cluster": clusters})
    pq.write_table(table, tmp_path / "bad.parquet")
    learned = undust_spark.learn(spark.read.parquet(str(tmp_path / "bad.parquet"))).cache()
    rows = {row["site"]: row for row in learned.collect()}
    assert sum(row["rows"] for row in rows.values()) == len(urls)
    assert (rows["a.com"]["bad"], rows[""]["rows"], rows[""]["bad"]) == (1, 3, 2)
    assert "longer than 65536 bytes" in rows["a.com"]["error"]
    assert undust_spark.rule_set(learned) == command_rules(tmp_path, tmp_path / "bad.parquet")


def test_large_sites_are_sampled_and_it_is_said(spark, forum):
    learned = undust_spark.learn(spark.read.parquet(str(forum)), most_urls=4000).cache()
    forum_row = learned.where("site = 'computer-forum.net'").first()
    assert forum_row["share"] == 0.25 and forum_row["rows"] == 13424 and 2000 < forum_row["urls"] <= 4000
    assert learned.where("share < 1").count() == 1
    again = undust_spark.learn(spark.read.parquet(str(forum)).orderBy("digest"), most_urls=4000)
    assert undust_spark.rule_set(again) == undust_spark.rule_set(learned)


def test_a_lost_sort_is_an_error():
    stream = undust._undust.SiteStream([], 1000, 1 << 30, 60.0)
    rows = [("b.com", "http://b.com/"), ("a.com", "http://a.com/")]
    batch = pa.RecordBatch.from_pylist([{"site": site, "url": url} for site, url in rows])
    with pytest.raises(RuntimeError, match="rows are not sorted by site: 'a.com' comes behind 'b.com'"):
        stream.push(batch)


def test_a_site_that_fails_is_a_row():
    assert undust._undust.SiteStream._try_guard(True, 5.0) == "the learner failed: this site is poison"
    assert undust._undust.SiteStream._try_guard(False, 0.05) == "took longer than 0.05 s"


def test_the_command_for_spark_submit(cluster, spark, forum, tmp_path):
    spark.stop()
    run = subprocess.run(
        [sys.executable, "-m", "undust.spark", "learn", forum, "-o", tmp_path / "spark.json", "--table", tmp_path / "table"],
        env=os.environ | {"PYSPARK_SUBMIT_ARGS": f"--master {cluster.master} --conf spark.ui.enabled=false pyspark-shell"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "on 41 sites" in run.stdout
    command_rules(tmp_path, forum)
    assert (tmp_path / "spark.json").read_bytes() == (tmp_path / "rules.json").read_bytes()


def test_a_worker_that_dies_costs_nothing(forum, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dying")
    with Cluster(folder) as cluster:
        spark = session(cluster.master)
        pages = spark.read.parquet(str(forum))
        expected = undust_spark.rule_set(undust_spark.learn(pages))
        killer = threading.Thread(target=lambda: (time.sleep(1.5), cluster.kill_worker(0)))
        killer.start()
        rules = undust_spark.rule_set(undust_spark.learn(pages.unionByName(pages).dropDuplicates(), partitions=24))
        killer.join()
        spark.stop()
    assert rules == expected
