"""Learning, scoring and clustering from files, rows and tables; the command."""

import gzip
import json
import subprocess
import sys
import typing
import warnings

import pyarrow as pa
import pytest
import undust
from conftest import FORUM
from undust import __main__ as undust_main
from undust import _learning


@pytest.fixture(scope="module")
def rows():
    with gzip.open(FORUM, "rt") as file:
        names = next(file).rstrip("\n").split("\t")
        return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in file]


def command(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "undust", *map(str, arguments)], capture_output=True, text=True, **options)


def test_rules_are_those_of_the_command(forum_rules, tmp_path):
    path = tmp_path / "rules.json"
    run = command("learn", FORUM, "-o", path)
    assert run.returncode == 0, run.stderr
    assert undust.RuleSet.load(path) == forum_rules
    report = forum_rules.report
    assert report.urls == 13424 and report.saved > 6000 and report.rules == len(forum_rules)
    assert report.changes is None and {part.learner for part in report.learners} > {"rewrite", "usual"}


def test_the_report_is_that_of_the_command(forum_rules, tmp_path):
    run = command("learn", FORUM, "-o", tmp_path / "rules.json", "--json")
    assert forum_rules.report.to_dict() == json.loads(run.stdout)
    with pytest.warns(DeprecationWarning, match="use RuleSet.report"):
        assert forum_rules.summary == forum_rules.report.to_dict()


def test_files_rows_and_tables_teach_the_same(rows):
    rows = rows[:4000]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    table = pa.table(columns | {"size": pa.array([int(size) for size in columns["size"]])})
    learned = [
        undust.learn(source, method="rewrite", seed=3)
        for source in (rows, (row for row in rows), table, table.to_batches()[0], table.to_reader(max_chunksize=999))
    ]
    assert len(learned[0]) > 0
    assert all(rules == learned[0] for rules in learned)


def test_options_and_settings(rows):
    rules = undust.learn(rows, method="dustbuster", likely=True, settings={"learn.max-likely-rules": 5}, max_fpr=0.02)
    assert 0 < len(rules) <= 5 and not any(rule.is_active for rule in rules)
    assert undust.learn(rows, max_fpr="0.7%").to_json() == undust.learn(rows, max_fpr=0.007).to_json()
    wrong = [
        ({"method": "magic"}, "unknown learner 'magic'; known: auto, dustbuster, "),
        ({"max_fpr": 2}, "bad value for 'max_fpr': 2 is not between 0 and 1; 2 per cent is 2%"),
        ({"max_fpr": "abc%"}, "'abc%' is not a share such as 0.01 or 1%"),
        ({"settings": {"cluster.resemblance": -1}}, "-1 is not between 0 and 1"),
        ({"settings": {"rewrite.colour": "red"}}, "unknown setting 'rewrite.colour'; known: min-support, filter"),
        ({"settings": {"colour": "red"}}, "'colour' is not a setting such as rewrite.filter"),
        ({"settings": {"rewrite.min-support": -1}}, "bad value for 'rewrite.min-support': '-1' is not a number"),
        ({"settings": {"learn.with-assets": 7}}, "'7' is neither true nor false"),
        ({"method": "rewrite", "settings": {"dustbuster.t-low": 5}}, "'dustbuster.t-low' is a setting of 'dustbuster'"),
        ({"site_by": "planet"}, "bad value for 'site_by'"),
        ({"format": "xml"}, "bad value for 'format': .*'xml'"),
        ({"threads": -1}, "bad value for 'threads': -1"),
        ({"max_urls": -1}, "bad value for 'max_urls': -1"),
        ({"seed": -1}, "bad value for 'seed': -1"),
    ]
    for options, message in wrong:
        with pytest.raises(undust.UndustError, match=message):
            undust.learn(rows, **options)
    for options in ({"colour": "red"}, {"output": "x.json"}, {"min_support": 5}, {"max_urls": "many"}):
        with pytest.raises(TypeError):
            undust.learn(rows, **options)


def test_settings_have_an_effect(rows):
    rows = rows[:4000]
    plain, strict = (undust.learn(rows, method="rewrite", settings=settings) for settings in ({}, {"rewrite.min_support": 100_000}))
    assert len(plain) > 0 == len(strict)
    assert undust.learn(rows, settings={"learn.with-assets": True}, skips=False, threads=1, memory=1 << 20).report.urls == 4000


def test_learners_are_those_of_the_registry():
    learners = undust.learners()
    assert tuple(learner.name for learner in learners) == typing.get_args(_learning.Method)
    by_name = {learner.name: learner for learner in learners}
    assert by_name["rewrite"].paper == "De-duping URLs via Rewrite Rules, KDD 2008" and by_name["auto"].paper is None
    names = [setting.name for setting in undust.settings()]
    assert {"learn.min-trials", "cluster.by"} < set(names)
    assert [setting.name for learner in learners for setting in learner.settings] == [name for name in names if name.split(".")[0] in by_name]


def test_defaults_are_those_of_the_command():
    printed = " ".join(command("learn", "--help").stdout.split())
    assert f"[default: {_learning.MAX_URLS}]" in printed
    assert (f"[default: {_learning.MEMORY >> 30}G]" in printed, f"[default: {_learning.MAX_BODY >> 20}M]" in printed) == (True, True)


def test_decisions_are_kept(rows):
    rows = rows[:4000]
    first = undust.learn(rows, method="rewrite")
    assert undust.learn(rows, method="rewrite", keep=first).to_json() == first.to_json()
    file = json.loads(first.to_json())
    file["sites"][0]["rules"][0]["review"] = "rejected"
    reviewed = undust.RuleSet.from_json(json.dumps(file))
    again = undust.learn(rows, method="rewrite", keep=reviewed)
    rejected = [rule for rule in again if rule.review == "rejected"]
    assert [rule.id for rule in rejected] == [first.rules[0].id]
    assert not any(rule.is_active and rule.matches == rejected[0].matches for rule in again)
    assert again.report.changes.decided == 1 and first.report.changes is None


def test_what_cannot_be_read_is_said(rows, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.tsv"):
        undust.learn([tmp_path / "nowhere.tsv"])
    with pytest.raises(undust.UndustError, match="nothing to learn from"):
        undust.learn([])
    with pytest.raises(undust.UndustError, match="no column 'url'"):
        undust.learn(pa.table({"link": ["http://a/"]}))
    for wrong in (7, {"url": "http://a/"}, [["http://a/"]]):
        with pytest.raises(TypeError):
            undust.learn(wrong)
    bad = [*rows[:2000], {"url": None, "digest": "x"}, {"url": "http://a.com/", "size": "big"}]
    with pytest.warns(undust.InputWarning, match="rows:2002: 'big' is no valid size"):
        undust.learn(bad, method="rewrite")
    with pytest.raises(undust.UndustError, match="rows:2001: no URL"):
        undust.learn(bad, method="rewrite", strict=True)


def test_scores_are_those_of_the_command(forum_rules, rows, tmp_path):
    forum_rules.save(tmp_path / "rules.json")
    printed = json.loads(command("eval", "--rules", tmp_path / "rules.json", FORUM, "--json").stdout)
    scores = undust.evaluate(forum_rules, FORUM)
    assert scores == undust.evaluate(tmp_path / "rules.json", rows) and scores.to_dict() == printed
    assert scores.total.metrics.f1 > 0.8 and [site.site for site in scores.sites] == ["computer-forum.net"]
    with pytest.raises(undust.UndustError, match="no labelled page"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        undust.evaluate(forum_rules, [{"url": "http://a.com/"}])


def test_pages_are_clustered():
    texts = ["The quick brown fox jumps over the lazy dog", "Completely other words stand on this second page"]
    pages = [{"url": f"http://a.com/{i}?v={v}", "text": text} for i, text in enumerate(texts) for v in range(3)]
    clusters = undust.cluster(pages)
    by_cluster = {}
    for page in clusters.pages:
        by_cluster.setdefault(page["cluster"], []).append(page["url"][:14])
    assert sorted(by_cluster.values()) == [["http://a.com/0"] * 3, ["http://a.com/1"] * 3]
    assert clusters.report.clusters == 2 and clusters.report.to_dict()["pages"] == 6
    with pytest.raises(undust.UndustError, match="bad value for 'cluster.distance': '17' is not a number in range"):
        undust.cluster(pages, distance=17)
    odd = undust.cluster([{"url": b"http://a.com/\xff", "text": "x"}]).pages[0]
    assert odd["url"].encode("utf-8", "surrogateescape") == b"http://a.com/\xff"


def test_a_page_is_read():
    html = b"<title>Bees</title><link rel=canonical href=/hive><nav>Home</nav><p>Bees fly far."
    page = undust.read_page("http://a.org/x?y", html, content_type="text/html")
    assert page["title"] == "Bees" and page["canonical"] == "http://a.org/hive" and page["text"] == "Bees fly far."
    assert page["size"] == len(html) and int(page["simhash"], 16) == undust.simhash("Bees fly far.")
    assert undust.read_page(b"http://a.org/", b"")["url"] == b"http://a.org/"
    near = bin(undust.simhash("one two three " * 50) ^ undust.simhash("one two three " * 50 + "four")).count("1")
    assert near < 16


def test_the_command_comes_with_the_package():
    assert command("--version").stdout == f"undust {undust.__version__}\n"
    assert "Usage: undust" in command("--help").stdout
    wrong = command("apply", "--rules", "no-such.json", input="http://a/\n")
    assert (wrong.returncode, wrong.stdout) == (2, "") and "undust: no-such.json: No such file" in wrong.stderr
    assert command("colour").returncode == 2


def test_a_missing_command_is_said(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(undust_main.sysconfig, "get_path", lambda *_: str(tmp_path))
    monkeypatch.setattr(undust_main.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(undust_main, "__file__", str(tmp_path / "a/b"))
    assert undust_main.main() == 2
    assert "the command undust is in none of" in capsys.readouterr().err
