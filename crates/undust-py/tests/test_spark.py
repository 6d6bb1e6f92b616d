"""The learner on a Spark cluster of a master and two workers gives what the command gives."""

import gzip
import os
import random
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


#: Another cluster to run on, such as local-cluster[2,1,1024].
MASTER = os.environ.get("UNDUST_SPARK_MASTER")


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    if MASTER:
        yield MASTER
        return
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster.master


@pytest.fixture(scope="module")
def spark(master):
    spark = session(master)
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
    assert len(scores) == len(expected.sites) == 41
    for site in expected.sites:
        ours = scores[site.site]
        assert ours["crawled"] == site.crawled and ours["f1"] == site.metrics.f1


def test_spark_md(spark, forum, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/spark.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
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


def test_large_sites_are_sampled_and_it_is_said(spark, forum, tmp_path):
    learned = undust_spark.learn(spark.read.parquet(str(forum)), max_urls=4000).cache()
    forum_row = learned.where("site = 'computer-forum.net'").first()
    assert forum_row["share"] == 0.25 and forum_row["rows"] == 13424 and 2000 < forum_row["urls"] <= 4000
    assert learned.where("share < 1").count() == 1
    again = undust_spark.learn(spark.read.parquet(str(forum)).orderBy("digest"), max_urls=4000)
    rules = undust_spark.rule_set(learned)
    assert undust_spark.rule_set(again) == rules == command_rules(tmp_path, forum, "--max-urls", 4000)


def test_mirrors(spark, tmp_path):
    words = [f"word{number}" for number in range(400)]

    def pages(site, seed, count, changed=None):
        generator = random.Random(seed)
        for number in range(count):
            text = generator.choices(words, k=300)
            yield {"url": f"http://www.{site}/{number}", "text": " ".join(text) + (f" at {changed}" if changed else "")}

    rows = [*pages("one.com", 1, 40), *pages("copy.org", 1, 30, "copy"), *pages("other.net", 2, 40)]
    # A page that everybody has.
    rows += [{"url": f"http://host{number}.com/", "text": "It works!"} for number in range(30)]
    rows += [{"url": url, "text": None} for url in ("http://one.com/empty", "http://copy.org/empty")]
    schema = pa.schema({"url": pa.string(), "text": pa.string()})
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "pages.parquet")
    frame = spark.read.parquet(str(tmp_path / "pages.parquet"))
    # Every pair of pages, for comparison.
    prints = {}
    for row in rows:
        if row["text"]:
            prints.setdefault(row["url"].removeprefix("http://www.").split("/")[0], []).append(undust.simhash(row["text"]))
    near = [min((one ^ other).bit_count() for other in prints["copy.org"]) <= 3 for one in prints["one.com"]]
    pairs = undust_spark.mirrors(frame, max_sites=20).collect()
    assert [(row["site"], row["mirror"], row["pages"], row["mirror_pages"]) for row in pairs] == [("copy.org", "one.com", 30, 40)]
    assert pairs[0]["shared"] == sum(near) > 20 and pairs[0]["share"] == sum(near) / 30
    with pytest.raises(ValueError, match="distance = 9"):
        undust_spark.mirrors(frame, distance=9)
    # Digests are compared, too.
    rows = [{"url": f"http://{site}/{i}", "digest": f"sha1:{i % 15}"} for site in ("a.com", "b.com") for i in range(20)]
    found = undust_spark.mirrors(spark.createDataFrame(rows)).collect()
    assert [(row["site"], row["mirror"], row["shared"], row["share"]) for row in found] == [("a.com", "b.com", 15, 1.0)]


def test_wrong_options_are_errors_of_the_driver(spark):
    pages = spark.createDataFrame([("http://a.com/", "x")], ["url", "digest"])
    with pytest.raises(undust.UndustError, match="unknown setting 'rewrite.colour'"):
        undust_spark.learn(pages, settings={"rewrite.colour": "red"})
    with pytest.raises(TypeError, match="colour"):
        undust_spark.learn(pages, colour="red")


def test_a_frame_needs_urls(spark):
    with pytest.raises(undust.UndustError, match="no column 'url', only link, digest"):
        undust_spark.learn(spark.createDataFrame([("http://a.com/", "x")], ["link", "digest"]))


def test_the_command_for_spark_submit(master, spark, forum, tmp_path):
    spark.stop()
    run = subprocess.run(
        [sys.executable, "-m", "undust.spark", "learn", forum, "-o", tmp_path / "spark.json", "--table", tmp_path / "table"],
        env=os.environ | {"PYSPARK_SUBMIT_ARGS": f"--master {master} --conf spark.ui.enabled=false pyspark-shell"},
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
        killer = Killer(spark, cluster)
        rules = undust_spark.rule_set(undust_spark.learn(pages, partitions=TASKS))
        killer.join()
        spark.stop()
    assert 0 < killer.done < TASKS
    assert rules == expected


#: So many that some are still to be done when the first ones are.
TASKS = 24


class Killer(threading.Thread):
    """Kills a worker as soon as it has learned something, while there is more to learn."""

    def __init__(self, spark, cluster):
        super().__init__()
        self._stages, self._cluster = spark.sparkContext.statusTracker(), cluster
        self.done = 0
        self.start()

    def run(self):
        end = time.monotonic() + 120
        while not self.done and time.monotonic() < end:
            learning = [self._stages.getStageInfo(stage) for stage in self._stages.getActiveStageIds()]
            self.done = max((stage.numCompletedTasks for stage in learning if stage and stage.numTasks == TASKS), default=0)
            time.sleep(0.01)
        self._cluster.kill_worker(0)
