"""The rules that are in force: all of the rule file, less those that were switched off during the crawl."""

from __future__ import annotations

import json
from string import printable
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

from undust import Canonicalizer, RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_RULES = '{"undust": 1, "sites": []}'
#: The name under which all models of a rule file are blamed and switched off.
MODEL = "model"


class RulesInForce:
    """What rules say about URLs, and models where rules say nothing."""

    def __init__(self, rules: RuleSet) -> None:
        self._with_models = rules
        self._without_models = without_models(rules)
        self._ids = frozenset((*(rule.id for rule in rules), MODEL))
        # URLs by the million share a few combinations of rules.
        self._combinations: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.switched_off: frozenset[str] = frozenset()
        self._canonicalizer = Canonicalizer(rules)
        self._rules_alone = Canonicalizer(self._without_models)

    @classmethod
    def load(cls, path: str | None) -> RulesInForce:
        """The rules of a file; a `ValueError` says what is wrong with it. Without a file there are none."""
        if path is None:
            return cls(RuleSet.from_json(NO_RULES))
        try:
            return cls(RuleSet.load(path))
        except (OSError, ValueError) as error:
            raise ValueError(f"UNDUST_RULES = {path!r}: {error}") from error

    @property
    def are_idle(self) -> bool:
        """Whether nothing in the file is in force: all of it rejected, or likely and not tried out yet."""
        has_models = self._with_models is not self._without_models
        return not has_models and not any(rule.is_active for rule in self._with_models)

    def key(self, url: str) -> str:
        """Equal for URLs of the same page; may hold `*`."""
        # A data: URL is no address, and has no host that rules could be for.
        if not url.startswith(("http://", "https://")):
            return url
        # In bytes, since rules may decode escapes to what is no text; Scrapy would escape it in the same way.
        key = self._canonicalizer.canonicalize(url.encode())
        return key.decode("ascii") if key.isascii() else quote_from_bytes(key, safe=printable)

    def fires(self, url: str) -> tuple[str, ...]:
        """The ids of the rules that make the key of a URL; `model` if a model has a part in it."""
        ids = tuple(self._canonicalizer.fires(url))
        if self._canonicalizer.canonicalize(url) != self._rules_alone.canonicalize(url):
            ids = (*ids, MODEL)
        return self._combinations.setdefault(ids, ids)

    def skips(self, url: str) -> str | None:
        """The id of the rule that says that a URL leads to nothing new."""
        return self._canonicalizer.skips(url)

    def switch_off(self, ids: Iterable[str]) -> None:
        """Go on without these rules."""
        self.switched_off |= self._ids.intersection(ids)
        rules = sorted(self.switched_off - {MODEL})
        self._rules_alone = Canonicalizer(self._without_models.without(rules))
        in_use = self._without_models if MODEL in self.switched_off else self._with_models
        self._canonicalizer = Canonicalizer(in_use.without(rules))


def without_models(rules: RuleSet) -> RuleSet:
    """The same rules by themselves."""
    text = rules.to_json()
    if '"model"' not in text:
        return rules
    return RuleSet.from_json(json.dumps({name: value for name, value in json.loads(text).items() if name != "model"}))
