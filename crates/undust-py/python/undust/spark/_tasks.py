"""What runs in the workers of Spark: batches of rows in, batches of rows out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import undust
from undust import _undust

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


@dataclass(frozen=True)
class AddSite:
    """Adds the site of each row's URL."""

    options: list[str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            sites = _undust.sites_of(_column(batch, "url"), self.options)
            yield _with(batch, "site", sites)


@dataclass(frozen=True)
class Learn:
    """Learns site by site."""

    options: list[str]
    most_urls: int
    most_bytes: int
    seconds: float

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        stream = _undust.SiteStream(self.options, self.most_urls, self.most_bytes, self.seconds)
        for batch in batches:
            yield from _some(stream.push(batch))
        yield from _some(stream.finish())


@dataclass(frozen=True)
class Canonicalize:
    """Adds a column of canonical forms."""

    rules: undust.RuleSet
    column: str
    form: Literal["key", "url"]
    into: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        canonicalizer = undust.Canonicalizer(self.rules, form=self.form)
        for batch in batches:
            forms = canonicalizer.canonicalize_arrow(_column(batch, self.column), threads=1)
            yield _with(batch, self.into, forms)


@dataclass(frozen=True)
class Evaluate:
    """Scores rules site by site."""

    rules: undust.RuleSet

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        scores = _undust.ScoreStream(self.rules)
        for batch in batches:
            scores.push(batch)
        sites = scores.finish()["sites"]
        if sites:
            yield pa.RecordBatch.from_pylist([_score(site) for site in sites])


def _score(site: dict[str, Any]) -> dict[str, Any]:
    counts = {name: site[name] for name in ("site", "urls", "clusters", "crawled", "covered", "rules")}
    return counts | {name: float(site["metrics"][name]) for name in ("precision", "recall", "f1")}


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    """The column of this name, in any case."""
    place = [field.lower() for field in batch.schema.names].index(name.lower())
    return batch.column(place)


def _with(batch: pa.RecordBatch, name: str, column: pa.Array) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, name])


def _some(batch: Any) -> Iterator[pa.RecordBatch]:
    """A batch as pyarrow has it, if it holds anything."""
    import pyarrow as pa

    rows = pa.record_batch(batch)
    if rows.num_rows:
        yield rows
