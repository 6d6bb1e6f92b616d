"""Tasks, which run in the workers of Spark: batches of rows in, batches of rows out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import undust
from undust import _undust

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from undust._learning import LearnKeywords


@dataclass(frozen=True)
class AddSite:
    """Adds the site of each row's URL."""

    site_by: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _with(batch, "site", _sites(batch, self.site_by))


@dataclass(frozen=True)
class Learn:
    """Learns site by site."""

    options: LearnKeywords
    max_bytes: int
    max_seconds: float

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _streamed(_undust.SiteStream(self.options, self.max_bytes, self.max_seconds), batches)


@dataclass(frozen=True)
class Fingerprint:
    """The site of each row, and a number for the content of its page."""

    site_by: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            columns = [_sites(batch, self.site_by), _undust.fingerprints(batch)]
            yield pa.RecordBatch.from_arrays(columns, names=["site", "print"])


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
        return _streamed(_undust.ScoreStream(self.rules), batches)


def sum_up_the_rest(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Sites with rules or a model as they are; all others as one row, with the sums of their `urls` and `clusters`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    urls = clusters = 0
    for batch in batches:
        has_rules = pc.or_(pc.is_valid(batch["rules"]), pc.is_valid(batch["model"]))
        yield batch.filter(has_rules)
        rest = batch.filter(pc.invert(has_rules))
        urls += pc.sum(rest["urls"], min_count=0).as_py()
        clusters += pc.sum(rest["clusters"], min_count=0).as_py()
    sums = {"rules": None, "model": None, "urls": urls, "clusters": clusters}
    schema = pa.schema({"rules": pa.string(), "model": pa.binary(), "urls": pa.int64(), "clusters": pa.int64()})
    yield pa.RecordBatch.from_pylist([sums], schema=schema)


def _streamed(stream: _undust.SiteStream | _undust.ScoreStream, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What comes out of a stream while batches go in."""
    for batch in batches:
        yield from _some(stream.push(batch))
    yield from _some(stream.finish())


def _sites(batch: pa.RecordBatch, site_by: str) -> pa.Array:
    return _undust.sites_of(_column(batch, "url"), site_by)


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
