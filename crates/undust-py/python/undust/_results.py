"""Results as classes. The native half makes them from JSON; `to_dict` gives what the command prints with `--json`."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

_R = TypeVar("_R", bound="Result")


class Result:
    """What all results have in common."""

    @classmethod
    def from_dict(cls: type[_R], values: dict[str, Any]) -> _R:
        """The result that `to_dict` gave."""
        known = {place.name for place in fields(cls)}  # type: ignore[arg-type]
        return cls(**{name: value for name, value in values.items() if name in known})

    def to_dict(self) -> dict[str, Any]:
        """The result as dictionaries and lists."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def __getitem__(self, name: str) -> Any:
        """Deprecated: results were dictionaries."""
        warnings.warn(f"{type(self).__name__}[{name!r}] is deprecated: results are classes", DeprecationWarning, stacklevel=2)
        return self.to_dict()[name]


@dataclass(frozen=True)
class Evidence(Result):
    """Counts of the trials of a rule."""

    support: int
    """Pairs of URLs that gave the rule."""
    saved: int
    """URLs that the rule saves; of a skip, those it skips."""
    trials: int
    """Held-out URLs that the rule was tried on."""
    false_positives: int
    """Of these, URLs that would have been lost."""
    bound: float
    """Upper 95 % confidence bound of the share of false positives."""
    examples: tuple[tuple[str, str], ...] = ()
    """URLs that the rule makes equal."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Evidence:
        return cls(**values | {"examples": _pairs(values.get("examples", ()))})

    def to_dict(self) -> dict[str, Any]:
        values = asdict(self) | {"examples": [list(pair) for pair in self.examples]}
        return values if self.examples else _without(values, "examples")


@dataclass(frozen=True)
class ExplainedRule(Result):
    """The rule behind a step."""

    id: str
    from_: str
    """The URLs it matches."""
    to: str
    """What they become; '' for skips."""
    learner: str | None
    """The learner that proposed it; `None` for rules written by hand."""
    evidence: Evidence | None
    """Counts of its trials."""
    validation: dict[str, Any] | None
    """What trying it out has shown, as in the rule file."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ExplainedRule:
        evidence = values["evidence"]
        known = {"from_": values["from"], "evidence": None if evidence is None else Evidence.from_dict(evidence)}
        return cls(**_without(values, "from") | known)

    def to_dict(self) -> dict[str, Any]:
        values = {place.name: getattr(self, place.name) for place in fields(self)}
        evidence = None if self.evidence is None else self.evidence.to_dict()
        return _without(values, "from_") | {"from": self.from_, "evidence": evidence}


@dataclass(frozen=True)
class Step(Result):
    """One step of a URL to its canonical form."""

    after: str
    """The URL after the step."""
    rule: ExplainedRule | None = None
    """The rule that made it; `None` for normalization, and for models."""
    model: dict[str, Any] | None = None
    """What the model of the site said, where it made the step: `from`, `to` and `evidence`."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Step:
        return cls(values["after"], _rule(values.get("rule")), values.get("model"))

    def to_dict(self) -> dict[str, Any]:
        if self.model is not None:
            return {"model": self.model, "after": self.after}
        return {"rule": None if self.rule is None else self.rule.to_dict(), "after": self.after}


@dataclass(frozen=True)
class Explanation(Result):
    """The steps of a URL to its canonical form."""

    url: str
    canonical: str
    """Its canonical form."""
    settled: bool
    """Whether rules come to a fixed point on it."""
    steps: tuple[Step, ...]
    skip: ExplainedRule | None
    """The rule by which it need not be fetched."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Explanation:
        steps = tuple(Step.from_dict(step) for step in values["steps"])
        return cls(**values | {"steps": steps, "skip": _rule(values["skip"])})

    def to_dict(self) -> dict[str, Any]:
        values = {place.name: getattr(self, place.name) for place in fields(self)}
        skip = None if self.skip is None else self.skip.to_dict()
        return values | {"steps": [step.to_dict() for step in self.steps], "skip": skip}


@dataclass(frozen=True)
class Contribution(Result):
    """What one learner proposed, and what of that was kept."""

    learner: str
    candidates: int
    """Distinct rules that it proposed."""
    rules: int
    """Of the rules kept, those that it proposed first or alone."""
    saved: int
    """URLs that these save."""


@dataclass(frozen=True)
class Changes(Result):
    """The difference to the rules of `keep`."""

    decided: int
    """Rules that stay because of what was decided on them."""
    new: int
    gone: int
    as_before: int


@dataclass(frozen=True)
class LearnReport(Result):
    """The report on learning, all sites together."""

    rules: int
    sites: int
    """Sites that were learned from."""
    urls: int
    """Distinct URLs."""
    clusters: int
    """Different pages, as far as labels tell."""
    candidates: int
    """Distinct rules proposed."""
    contradictions: int
    """URLs with two different labels."""
    mislabelled: int
    """Estimated number of URLs with the label of another page."""
    unlabelled: int
    """Pages without a label, where labels were needed."""
    failed: int
    """Rows of failed requests that were left out."""
    assets: int
    """Rows of images, styles and scripts that were left out."""
    saved: int
    """URLs that rules make equal to others."""
    skipped: int
    """URLs that rules skip."""
    learners: tuple[Contribution, ...] = ()
    """What each learner had a part in, where there were several."""
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The reports of the models, by site."""
    changes: Changes | None = None
    """The difference to the rules of `keep`, if there were any."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> LearnReport:
        changes = values.get("changes")
        return cls(
            rules=values["rules"],
            **values["totals"],
            learners=tuple(Contribution.from_dict(part) for part in values.get("learners", ())),
            models=values.get("models", {}),
            changes=None if changes is None else Changes.from_dict(changes),
        )

    def to_dict(self) -> dict[str, Any]:
        totals = asdict(self)
        rules, *rest = (totals.pop(name) for name in ("rules", "learners", "models", "changes"))
        learners, models, changes = rest
        known = {"models": models, "learners": list(learners), "changes": changes}
        return {"rules": rules, "totals": totals} | {name: value for name, value in known.items() if value}


@dataclass(frozen=True)
class Metrics(Result):
    """The metrics of the papers, all shares of 1 but the last."""

    precision: float
    """Covered pages per crawled URL."""
    recall: float
    """Covered pages per page."""
    f1: float
    """Harmonic mean of precision and recall."""
    keep_all_precision: float
    """Precision of crawling every URL."""
    keep_all_f1: float
    """F1 of crawling every URL."""
    compression: float
    """Share of URLs not crawled."""
    dup_reduction: float
    """How much of the duplicate rate is gone."""
    coverage: float
    """Share of the duplicates found."""
    fpr: float
    """Wrong pairs per merged pair."""
    reduction_per_rule: float
    """URLs saved per rule."""


@dataclass(frozen=True)
class Score(Result):
    """Counts, and the metrics that follow from them."""

    urls: int
    """Distinct URLs."""
    clusters: int
    """Different pages."""
    crawled: int
    """Distinct canonical forms: the URLs that are crawled."""
    covered: int
    """Pages of which some URL is crawled."""
    merged_pairs: int
    """Pairs of URLs with one canonical form."""
    wrong_pairs: int
    """Of these, pairs whose contents differ."""
    rules: int
    metrics: Metrics
    site: str | None = None
    """The site; `None` for all sites together."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Score:
        return cls(**values | {"metrics": Metrics.from_dict(values["metrics"])})

    def to_dict(self) -> dict[str, Any]:
        values = asdict(self)
        return values if self.site is not None else _without(values, "site")


@dataclass(frozen=True)
class Scores(Result):
    """The scores of rules on labelled pages."""

    total: Score
    """All URLs together: the micro average."""
    macro_average: Metrics
    """The mean over sites."""
    sites: tuple[Score, ...]
    """Site by site."""
    with_skips: Scores | None = None
    """The scores if URLs are skipped, where the rules have skips."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Scores:
        with_skips = values.get("with_skips")
        return cls(
            Score.from_dict(values["total"]),
            Metrics.from_dict(values["macro_average"]),
            tuple(Score.from_dict(site) for site in values["sites"]),
            None if with_skips is None else cls.from_dict(with_skips),
        )

    def to_dict(self) -> dict[str, Any]:
        values = {
            "total": self.total.to_dict(),
            "macro_average": self.macro_average.to_dict(),
            "sites": [site.to_dict() for site in self.sites],
        }
        return values if self.with_skips is None else values | {"with_skips": self.with_skips.to_dict()}


@dataclass(frozen=True)
class KindReport(Result):
    """What one kind of evidence shows."""

    kind: str
    alone: int
    """Pages that it alone shows to be the same as an earlier one."""
    only: int
    """Pages of which nothing else shows that."""


@dataclass(frozen=True)
class Contradiction(Result):
    """Evidence that does not agree."""

    what: str
    count: int
    samples: tuple[tuple[str, str], ...]
    """Some URLs to look at."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Contradiction:
        return cls(values["what"], values["count"], _pairs(values["samples"]))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"samples": [list(pair) for pair in self.samples]}


@dataclass(frozen=True)
class ClusterReport(Result):
    """The report on clustering."""

    pages: int
    texts: int
    """Pages with a text."""
    unknown: int
    """Pages in no cluster, since nothing is known of them."""
    clusters: int
    """Different pages."""
    contributions: tuple[KindReport, ...]
    """By kind of evidence."""
    contradictions: tuple[Contradiction, ...]
    """Evidence that does not agree."""

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> ClusterReport:
        kinds = tuple(KindReport.from_dict(kind) for kind in values["contributions"])
        contradictions = tuple(Contradiction.from_dict(one) for one in values["contradictions"])
        return cls(**values | {"contributions": kinds, "contradictions": contradictions})

    def to_dict(self) -> dict[str, Any]:
        kinds = [kind.to_dict() for kind in self.contributions]
        return asdict(self) | {"contributions": kinds, "contradictions": [one.to_dict() for one in self.contradictions]}


@dataclass(frozen=True)
class Setting(Result):
    """A setting of a learner or of a stage."""

    name: str
    """The name, as `learn` takes it in `settings`: `rewrite.filter`."""
    value: str
    """What its value is: `N`, `SHARE`, `BOOL`, ..."""
    default: str
    help: str


@dataclass(frozen=True)
class Learner(Result):
    """A learner that `learn` takes as `method`."""

    name: str
    about: str
    paper: str | None
    """The paper that describes it."""
    needs_labels: bool
    """Whether it learns from labelled pages alone."""
    trains_model: bool
    """Whether it trains a model beside the rules."""
    settings: tuple[Setting, ...]

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Learner:
        return cls(**values | {"settings": tuple(Setting.from_dict(setting) for setting in values["settings"])})


def _rule(values: dict[str, Any] | None) -> ExplainedRule | None:
    return None if values is None else ExplainedRule.from_dict(values)


def _pairs(values: Any) -> tuple[tuple[str, str], ...]:
    return tuple((one, other) for one, other in values)


def _without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
