"""How often rules were tried out, and whom to blame for what failed."""

from __future__ import annotations

from collections import Counter

from undust._undust import chance_of_failures

#: How sure it must be that a rule is wrong too often.
CONFIDENCE = 0.95
#: With fewer failures than this no rule is switched off: a page may have changed between two fetches.
MIN_FAILURES = 3


class Tally:
    """Trials of rules, counted by the combinations of rules that had a part in them.

    A failure is blamed on each rule that had a part in it. The one that it is surest of is found guilty first, and takes
    with it all the failures that it explains: rules that only stood by are left with those that they had without it.
    """

    def __init__(self, max_share: float) -> None:
        self._max_share = max_share
        self._tried: Counter[frozenset[str]] = Counter()
        self._failed: Counter[frozenset[str]] = Counter()

    def add(self, rules: frozenset[str], failed: bool) -> None:
        """One more trial of a URL that these rules made equal to another one."""
        self._tried[rules] += 1
        if failed:
            self._failed[rules] += 1

    def of(self, rule: str) -> tuple[int, int]:
        """How often trials with this rule failed, and how many there were."""
        failed = sum(count for rules, count in self._failed.items() if rule in rules)
        return failed, sum(count for rules, count in self._tried.items() if rule in rules)

    def guiltiest(self, rules: frozenset[str]) -> str | None:
        """Of these rules, the one that is most surely wrong too often, if any is."""
        guilty = [rule for rule in rules if self._is_guilty(rule)]
        # Of those that are equally so, one that failed alone is to blame.
        return min(guilty, key=lambda rule: (self._chance(rule), -self._failed[frozenset([rule])], rule), default=None)

    def forget(self, rule: str) -> None:
        """Take out all trials that this rule had a part in."""
        for trials in (self._tried, self._failed):
            for rules in [rules for rules in trials if rule in rules]:
                del trials[rules]

    def to_rows(self) -> list[list[object]]:
        """All of it, for a file: rules, failures, trials."""
        return [[sorted(rules), self._failed[rules], count] for rules, count in sorted(self._tried.items(), key=_order)]

    def add_rows(self, rows: list[list[object]]) -> None:
        """What `to_rows` gave."""
        for rules, failed, tried in rows:
            assert isinstance(rules, list) and isinstance(failed, int) and isinstance(tried, int)
            self._failed[frozenset(rules)] += failed
            self._tried[frozenset(rules)] += tried

    def _is_guilty(self, rule: str) -> bool:
        failed, _ = self.of(rule)
        return failed >= MIN_FAILURES and self._chance(rule) < 1 - CONFIDENCE

    def _chance(self, rule: str) -> float:
        failed, tried = self.of(rule)
        return chance_of_failures(failed, tried, self._max_share)


def _order(row: tuple[frozenset[str], int]) -> list[str]:
    return sorted(row[0])
