"""Keeps trying rules out: a sample of what they call duplicates is fetched all the same, and compared."""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from .memory import First
from .sketch import is_same
from .tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from .memory import Firsts
    from .rules import RulesInForce
    from .stats import Stats

logger = logging.getLogger(__name__)

#: URLs that a warning shows.
MOST_EXAMPLES = 5
#: Samples that wait for a page to be compared with.
MOST_WAITING = 10_000
#: Redirects that are followed from one key to another.
MOST_HOPS = 10


class Found(NamedTuple):
    """What is at a URL: a page, of which there is a sketch, or a redirect to another key."""

    sketch: bytes | None = None
    moved: bytes | None = None


class Sample(NamedTuple):
    """A URL that rules call a duplicate of the first one of its key, and what was found there."""

    url: str
    key: bytes
    rules: tuple[str, ...]
    found: Found


class Sentinel:
    """Compares samples with the pages at the first URLs of their keys, and switches off rules that fail."""

    def __init__(self, rules: RulesInForce, firsts: Firsts, stats: Stats, max_fpr: float) -> None:
        self._rules = rules
        self._firsts = firsts
        self._stats = stats
        self._tally = Tally(max_fpr)
        self._waiting: dict[bytes, list[Sample]] = {}
        self._waiting_number = 0
        self._examples: dict[str, list[str]] = defaultdict(list)

    def saw(self, key: bytes, url: str, found: Found) -> None:
        """A URL of this key was fetched that is no sample."""
        first = self._firsts.get(key)
        if first is None:
            first = First(b"", self._rules.fires(url))
            self._firsts.put(key, first)
        # Who is sent to another URL of the same key is not there yet.
        if first.sketch is None and first.moved is None and found.moved != key:
            first.sketch, first.moved = found
            waiting = self._waiting.pop(key, [])
            self._waiting_number -= len(waiting)
            for sample in waiting:
                self._compare(sample)

    def try_out(self, key: bytes, url: str, found: Found) -> None:
        """A sampled URL of this key was fetched."""
        self._compare(Sample(url, key, self._rules.fires(url), found))

    def _compare(self, sample: Sample) -> None:
        """Judge a sample, or let it wait for the page that it is to be compared with."""
        first = self._firsts.get(sample.key)
        # A key that a rule made which is switched off by now says nothing any more.
        if first is None or not self._rules.switched_off.isdisjoint({*first.rules, *sample.rules}):
            return
        place, expected = self._follow(sample.key)
        found_at, found = self._follow(sample.found.moved) if sample.found.moved else (None, sample.found.sketch)
        if found_at == place:
            self._judge(first, sample, failed=False)
        elif expected is None:
            self._wait(place, sample)
        elif found is None and found_at is not None:
            self._wait(found_at, sample)
        elif found:
            self._judge(first, sample, failed=not is_same(expected, found))
        # Else the sample is gone, and nobody misses it.

    def _follow(self, key: bytes) -> tuple[bytes, bytes | None]:
        """Where a key leads, and the sketch of the page that is there, if it is known."""
        for _ in range(MOST_HOPS):
            first = self._firsts.get(key)
            if first is None or first.moved is None:
                return key, first.sketch if first else None
            key = first.moved
        return key, None

    def _wait(self, key: bytes, sample: Sample) -> None:
        if self._waiting_number < MOST_WAITING:
            self._waiting.setdefault(key, []).append(sample)
            self._waiting_number += 1

    def _judge(self, first: First, sample: Sample, failed: bool) -> None:
        rules = frozenset((*first.rules, *sample.rules))
        self._stats.count("judged")
        self._tally.add(rules, failed)
        if failed:
            self._stats.count("failed", sorted(rules))
            for rule in rules:
                if len(self._examples[rule]) < MOST_EXAMPLES:
                    self._examples[rule].append(f"{sample.url} (key: {self._rules.key(sample.url)})")
            while guilty := self._tally.guiltiest(rules):
                self._switch_off(guilty)

    def _switch_off(self, rule: str) -> None:
        failed, tried = self._tally.of(rule)
        examples = "\n  ".join(self._examples[rule])
        logger.warning(
            "undust: rule %s is switched off: %d of %d sampled URLs show another page than the first URL of their key:\n  %s",
            rule,
            failed,
            tried,
            examples,
        )
        self._stats.count("disabled")
        self._tally.forget(rule)
        self._rules.switch_off([rule])

    def close(self) -> None:
        """Say what is to be done about the rule file."""
        if self._rules.switched_off:
            off = ", ".join(sorted(self._rules.switched_off))
            logger.warning("undust: rules switched off during the crawl; reject them in the rule file: %s", off)

    def load(self, path: Path) -> None:
        """Go on where an earlier run of the same job stopped."""
        if path.exists():
            state = json.loads(path.read_text(encoding="utf-8"))
            self._tally.add_rows(state["trials"])
            self._rules.switch_off(state["switched_off"])

    def save(self, path: Path) -> None:
        """Write down what a later run of the same job must know."""
        state = {"switched_off": sorted(self._rules.switched_off), "trials": self._tally.to_rows()}
        # A run that is killed leaves the old file whole.
        new = path.with_suffix(".new")
        new.write_text(json.dumps(state) + "\n", encoding="utf-8")
        new.replace(path)
