"""What other tools get wrong, and we do not. (What rules alone can show is in testdata/cases/peers.toml.)"""

import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import undust


def undust_command(*arguments):
    return subprocess.run([sys.executable, "-m", "undust", *map(str, arguments)], capture_output=True, text=True)


def test_a_host_keeps_its_name_and_the_rules_for_all(tmp_path):
    """duplicate-url-discarder 0.3.0 itself, beside what we make of its rules."""
    dud = pytest.importorskip("duplicate_url_discarder")
    rules = [
        {"order": 0, "processor": "normalizer", "urlPattern": {"include": [""]}},
        {"order": 1, "processor": "queryRemoval", "args": ["utm_source"], "urlPattern": {"include": [""]}},
        {"order": 2, "processor": "queryRemoval", "args": ["smid"], "urlPattern": {"include": ["nytimes.com"]}},
    ]
    path = tmp_path / "dud.json"
    path.write_text(json.dumps(rules))
    theirs = dud.url_canonicalizer.UrlCanonicalizer([str(path)])
    run = undust_command("import", path, "--from", "duplicate-url-discarder", "-o", tmp_path / "rules.json")
    assert run.returncode == 0, run.stderr
    ours = undust.Canonicalizer(tmp_path / "rules.json")
    article = "https://www.nytimes.com/2026/a.html?utm_source=x&smid=tw"
    assert theirs.process_url(article).endswith("?utm_source=x")
    assert ours(article) == "https://nytimes.com/2026/a.html"
    assert theirs.process_url("https://www1355544.com/") == "https://com"
    assert ours("https://www1355544.com/") == "https://www1355544.com/"


def test_many_urls_of_one_path_are_learned_from():
    """MaybeDont 0.1.1 fails at the 202nd URL of a path (TypeError: random.sample of a set)."""
    pages = [{"url": f"http://a.com/list?id={i}&sid={v}", "cluster": str(i)} for i in range(400) for v in "xy"]
    rules = undust.learn(pages)
    assert undust.Canonicalizer(rules)("http://a.com/list?id=7&sid=new") == undust.Canonicalizer(rules)(
        "http://a.com/list?id=7&sid=other"
    )


def test_nothing_of_a_list_is_ignored_in_silence(tmp_path):
    """adblock-rust 0.13.5 ignores `$removeparam` with an expression, with `~` and without a value."""
    lines = ["||a.com^$removeparam=sid", "||a.com^$removeparam=/^utm_/", "||a.com^$removeparam=~id", "||a.com/x$removeparam"]
    path = tmp_path / "list.txt"
    path.write_text("\n".join(lines))
    run = undust_command("import", path, "--from", "removeparam", "-o", tmp_path / "rules.json")
    assert run.returncode == 0
    assert [rule.id for rule in undust.RuleSet.load(tmp_path / "rules.json")], run.stderr
    ours = undust.Canonicalizer(tmp_path / "rules.json")
    works = {lines[0]: ours("http://a.com/?sid=1") == "http://a.com/", lines[3]: ours("http://a.com/x?y=1") == "http://a.com/x"}
    assert works[lines[0]]
    for line in lines[1:]:
        assert works.get(line) or line in run.stderr, f"{line} is neither a rule nor listed:\n{run.stderr}"


def test_exported_expressions_are_whole(tmp_path):
    """The dedup branch of ACHE writes unbalanced expressions for tokens that are neither digits nor letters."""
    rules = {
        "undust": 1,
        "sites": [
            {
                "site": "a.com",
                "rules": [
                    {"id": "odd", "match": "http://a.com/(x)[{id}/{...}?{...}", "rewrite": "http://a.com/)({id}]/{...}?{...}"},
                    {"id": "signs", "replace": "/((", "with": "/)"},
                ],
            }
        ],
    }
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(rules))
    exported = undust_command("export", "--rules", path, "--to", "regex").stdout
    expressions = [json.loads(line)["pattern"] for line in exported.splitlines()]
    exported = undust_command("export", "--rules", path, "--to", "nutch").stdout
    expressions += [pattern.text for pattern in ElementTree.fromstring(exported).iter("pattern")]
    assert len(expressions) >= 2
    for expression in expressions:
        re.compile(expression.replace(r"\G", ""))  # which Java knows, and Python does not


def test_quotes_that_nobody_doubled(tmp_path):
    """Nutch 1.x `readdb -dump -format csv` writes a URL with quotes as it is into a quoted cell."""
    dump = 'Url,Status code,Status name,Signature\n"http://a.com/?q="x"&y=1",2,"db_fetched","aa"\n"http://a.com/2",2,"db_fetched","bb"\n'
    path = tmp_path / "dump.csv"
    path.write_text(dump)
    pages = undust.cluster(path).pages
    assert [page["url"] for page in pages] == ['http://a.com/?q="x"&y=1', "http://a.com/2"]


def test_odd_urls_rest(forum_rules, by_hand):
    """courlan 1.4.0 and ural 1.6.2 make something else of some URLs each time."""
    urls = [
        "http://german.china.com/?ref=home&gclid=CjwKCAjw",
        "http://a.com/?section=article&amp;parid=175",
        "http://a.com/?u=http%3A%2F%2Fb.com%2F%3Fv%3Dhttp%253A%252F%252Fc.com%252F",
        "http://example.com/%2525?sid=1&u=%25252F",
    ]
    for rules in (forum_rules, by_hand):
        key = undust.Canonicalizer(rules)
        for url in urls:
            assert key(key(url)) == key(url)
