"""Sampled URLs that rules skip: is what they show nowhere else?"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from .sentinel import MOST_EXAMPLES, MOST_WAITING
from .sketch import is_same, marks

if TYPE_CHECKING:
    from .memory import Firsts
    from .stats import Stats

logger = logging.getLogger(__name__)


class Skipped(NamedTuple):
    """A sampled URL, the rule that skips it, and the sketch of its page."""

    url: str
    rule: str
    sketch: bytes


class SkippedSamples:
    """Samples of skipped URLs, kept until the crawl is over: only then it is known what was seen elsewhere."""

    def __init__(self, firsts: Firsts, stats: Stats) -> None:
        self._firsts = firsts
        self._stats = stats
        self._samples: list[Skipped] = []

    def add(self, url: str, rule: str, sketch: bytes | None) -> None:
        """A skipped URL was fetched. Without a page there is nothing that could be missed."""
        if sketch and len(self._samples) < MOST_WAITING:
            self._samples.append(Skipped(url, rule, sketch))

    def close(self) -> None:
        """Report pages that would have been missed."""
        missed = self.missed()
        for sample in missed:
            self._stats.count("failed", [sample.rule])
        for rule in sorted({sample.rule for sample in missed}):
            urls = [sample.url for sample in missed if sample.rule == rule]
            logger.warning(
                "undust: rule %s skips %d sampled URLs whose pages were not seen elsewhere:\n  %s",
                rule,
                len(urls),
                "\n  ".join(urls[:MOST_EXAMPLES]),
            )

    def missed(self) -> list[Skipped]:
        """The samples whose pages are at no URL that was fetched in the usual way."""
        index: dict[tuple[int, bytes], list[Skipped]] = defaultdict(list)
        for sample in self._samples:
            for mark in marks(sample.sketch):
                index[mark].append(sample)
        seen: set[Skipped] = set()
        for sketch in (first.sketch for first in self._firsts.values() if first.sketch):
            for mark in marks(sketch) & index.keys():
                seen.update(sample for sample in index[mark] if is_same(sample.sketch, sketch))
        return [sample for sample in self._samples if sample not in seen]
