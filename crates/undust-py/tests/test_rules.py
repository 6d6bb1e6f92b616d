"""Rule sets: reading, writing, explaining, checking; and canonical forms, one URL at a time."""

import copy
import json
import pickle
import subprocess
import sys

import pytest
import undust
from conftest import BY_HAND

URL = "http://www.example.com/list?sid=7&sort=up&page=2"


def test_a_rule_set_tells_its_rules(by_hand):
    assert (len(by_hand), by_hand.sites, repr(by_hand)) == (3, ["example.com"], "<RuleSet: 3 rules on 1 sites>")
    sid, sort, login = by_hand
    assert (sid.id, sid.site, sid.matches) == ("sid", "example.com", "{s}://{...}/{...}?sid={?}&{...}")
    assert (sid.becomes, sid.is_skip, sid.is_active) == ("{s}://{...}/{...}?{...}", False, True)
    assert (sid.learner, sid.review, sid.evidence) == (None, "proposed", None)
    assert (login.becomes, login.is_skip) == (None, True)
    assert [rule.id for rule in by_hand.rules] == ["sid", "sort", "login"]
    assert by_hand.report is None and by_hand.check() == []


def test_rules_are_saved_and_loaded(by_hand, tmp_path):
    path = tmp_path / "rules.json"
    by_hand.save(path)
    assert undust.RuleSet.load(path) == undust.RuleSet.load(str(path)) == by_hand
    assert path.read_text() == by_hand.to_json()
    assert undust.Canonicalizer(path).rules == by_hand


def test_rules_travel_between_processes(by_hand, forum_rules):
    for rules in (by_hand, forum_rules):
        assert pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules) == rules
    assert by_hand != forum_rules


def test_rules_can_be_left_out(by_hand):
    rest = by_hand.without(["sid", "login"])
    assert [rule.id for rule in rest] == ["sort"] and len(by_hand) == 3
    assert by_hand.without(["sid", "sort", "login"]).sites == []
    with pytest.raises(undust.UndustError, match="there is no rule 'x'"):
        by_hand.without(["x"])


def test_the_way_of_a_url_is_explained(by_hand):
    explanation = by_hand.explain(URL)
    assert explanation.canonical == "http://www.example.com/list?sort=*&page=2" and explanation.settled
    assert [step.rule.id for step in explanation.steps] == ["sid", "sort"]
    assert explanation.steps[-1].after == explanation.canonical and explanation.skip is None
    assert by_hand.explain(URL, form="url").canonical == "http://www.example.com/list?sort=up&page=2"
    assert by_hand.explain(b"http://example.com/login?x=1").skip.id == "login"
    assert by_hand.explain("HTTP://a.org/").steps[0].rule is None


def test_explanations_are_those_of_the_command(forum_rules, forum_urls, tmp_path):
    forum_rules.save(tmp_path / "rules.json")
    urls = forum_urls[::700]
    run = subprocess.run([sys.executable, "-m", "undust", "explain", "--json", "--rules", tmp_path / "rules.json", *urls], capture_output=True, text=True)
    printed = [json.loads(line) for line in run.stdout.splitlines()]
    explained = [forum_rules.explain(url) for url in urls]
    assert [explanation.to_dict() for explanation in explained] == printed
    assert any(step.rule and step.rule.evidence.trials for explanation in explained for step in explanation.steps)
    evidence = next(rule.evidence for rule in forum_rules)
    assert evidence.saved > 0 and 0 < evidence.bound < 1 and type(evidence).from_dict(evidence.to_dict()) == evidence
    with pytest.warns(DeprecationWarning, match="Evidence..saved.. is deprecated"):
        assert evidence["saved"] == evidence.saved


def test_what_is_wrong_with_rules_is_said(tmp_path):
    circle = """{"undust": 1, "sites": [{"site": "a.com", "rules": [
        {"match": "http://a.com/x", "rewrite": "http://a.com/y"}, {"match": "http://a.com/y", "rewrite": "http://a.com/x"}]}]}"""
    assert "circle" in "\n".join(undust.RuleSet.from_json(circle).check())
    with pytest.raises(undust.UndustError, match="not a rule file"):
        undust.RuleSet.from_json("{}")
    with pytest.raises(ValueError, match="rule 1: .://. is missing"):
        undust.RuleSet.from_json(BY_HAND.replace('"rewrite": "{s}', '"rewrite": "{', 1))
    with pytest.raises(FileNotFoundError, match="no-such.json"):
        undust.RuleSet.load(tmp_path / "no-such.json")
    with pytest.raises(IsADirectoryError):
        undust.Canonicalizer(tmp_path)
    with pytest.raises(undust.UndustError, match="'Key' is none of the forms"):
        undust.Canonicalizer(undust.RuleSet.from_json(circle), form="Key")


def test_a_url_comes_back_as_what_it_was(by_hand):
    key = undust.Canonicalizer(by_hand)
    assert key.canonicalize(URL) == key(URL) == "http://www.example.com/list?sort=*&page=2"
    assert key.canonicalize(URL.encode()) == b"http://www.example.com/list?sort=*&page=2"
    assert undust.Canonicalizer(by_hand, form="url")(URL) == "http://www.example.com/list?sort=up&page=2"
    assert repr(key) == "<Canonicalizer: 3 rules, form=key>"
    # Nothing to say: not even another object.
    other = "http://elsewhere.org/?sid=1"
    assert key(other) is other
    assert key("HTTP://Elsewhere.org:80/#x") == "http://elsewhere.org/"
    assert undust.Canonicalizer(by_hand, normalize=False)("HTTP://A.org/") == "HTTP://A.org/"
    assert key("") == "" and key(b"\xff") == b"\xff" and key("\0") == "\0"
    for wrong in (None, 7, ["http://a/"]):
        with pytest.raises(TypeError):
            key(wrong)


def test_rules_that_speak_of_a_url(by_hand):
    key = undust.Canonicalizer(by_hand)
    assert key.fires(URL) == ["sid", "sort"] and key.fires("http://elsewhere.org/") == []
    assert key.skips("http://example.com/login?next=/") == "login" and key.skips(URL) is None
    # A rule is applied no more once it is rejected.
    rejected = BY_HAND.replace('"skip"', '"review": "rejected", "skip"')
    assert undust.Canonicalizer(undust.RuleSet.from_json(rejected)).skips("http://example.com/login?x") is None


def test_canonical_forms_rest(forum_rules, forum_urls):
    for form in ("key", "url"):
        canonicalizer = undust.Canonicalizer(forum_rules, form=form)
        for url in forum_urls[::50]:
            canonical = canonicalizer(url)
            assert canonicalizer(canonical) == canonical == forum_rules.explain(url, form=form).canonical


def test_rules_that_do_not_pass_the_check_are_warned_of(tmp_path):
    broken = {"id": "broken", "replace": "^http://", "with": "^http:/"}
    text = json.dumps({"undust": 1, "sites": [{"site": "doc.test", "rules": [broken]}]})
    (tmp_path / "rules.json").write_text(text)
    with pytest.warns(UserWarning, match="rules.json: warning: doc.test: rule broken makes http:/doc.test/x"):
        rules = undust.RuleSet.load(tmp_path / "rules.json")
    with pytest.warns(UserWarning, match="which is no URL of this site"):
        undust.RuleSet.from_json(text)
    assert undust.Canonicalizer(rules).canonicalize("http://doc.test/a") == "http://doc.test/a"


def test_a_file_that_cannot_be_written_is_an_os_error(by_hand, tmp_path):
    with pytest.raises(FileNotFoundError, match="cannot write"):
        by_hand.save(tmp_path / "no" / "such" / "rules.json")
