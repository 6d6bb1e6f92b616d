"""Learning, scoring and clustering from files, rows and tables; the command."""

import gzip
import json
import subprocess
import sys
import warnings

import pyarrow as pa
import pytest
import undust
from conftest import FORUM


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
    totals = forum_rules.summary["totals"]
    assert totals["urls"] == 13424 and totals["saved"] > 6000


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


def test_options_are_those_of_the_command(rows):
    rules = undust.learn(rows, method="dustbuster", likely=True, most_likely=5, max_fpr=0.02)
    assert 0 < len(rules) <= 5 and not any(rule.is_active for rule in rules)
    assert undust.learn(rows, max_fpr="0.7%").to_json() == undust.learn(rows, max_fpr=0.007).to_json()
    wrong = [
        ({"method": "magic"}, "invalid value 'magic' for '--method"),
        ({"max_fpr": 2}, "2 is not between 0 and 1; 2 per cent is 2%"),
        ({"max_fpr": "abc%"}, "'abc%' is not a share such as 0.01 or 1%"),
        ({"resemblance": -1}, "-1 is not between 0 and 1"),
        ({"colour": "red"}, "unexpected argument '--colour'"),
        ({"min_support": -1}, "--min-support"),
    ]
    for options, message in wrong:
        with pytest.raises(undust.UndustError, match=message):
            undust.learn(rows, **options)
    with pytest.raises(TypeError, match="'output' is no option here"):
        undust.learn(rows, output="x.json")


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
    assert again.summary["changes"]["decided"] == 1 and "changes" not in first.summary


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
    assert undust.evaluate(forum_rules, FORUM) == undust.evaluate(tmp_path / "rules.json", rows) == printed
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
    assert clusters.report["clusters"] == 2
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
