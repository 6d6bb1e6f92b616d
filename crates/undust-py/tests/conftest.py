"""What several tests need."""

import gzip
from pathlib import Path

import pytest
import undust

ROOT = Path(__file__).resolve().parents[3]
FORUM = ROOT / "testdata/demo/phpbb2-computerforum.tsv.gz"

BY_HAND = """{
  "undust": 1,
  "sites": [
    {
      "site": "example.com",
      "rules": [
        {"id": "sid", "match": "{s}://{...}/{...}?sid={?}&{...}", "rewrite": "{s}://{...}/{...}?{...}"},
        {"id": "sort", "match": "{s}://{...}/list?sort={v}&{...}", "rewrite": "{s}://{...}/list?sort=*&{...}"},
        {"id": "login", "match": "{s}://{...}/login?{...}", "skip": true}
      ]
    }
  ]
}"""


@pytest.fixture
def by_hand() -> undust.RuleSet:
    """A few rules that a person wrote."""
    return undust.RuleSet.from_json(BY_HAND)


@pytest.fixture(scope="session")
def forum_urls() -> list[str]:
    """The URLs of a real forum."""
    with gzip.open(FORUM, "rt") as file:
        next(file)
        return [line.split("\t", 1)[0] for line in file]


@pytest.fixture(scope="session")
def forum_rules() -> undust.RuleSet:
    """What there is to learn from the forum."""
    return undust.learn(FORUM)
