"""The commands that read pages, as functions. Their options are those of the command line, with `_` for `-`."""

import json
import warnings
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from undust import _undust
from undust._undust import RuleSet


class ArrowStream(Protocol):
    """What has the Arrow PyCapsule interface: tables and data frames of pyarrow, polars, pandas, duckdb."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


File: TypeAlias = str | PathLike[str]
Row: TypeAlias = Mapping[str, Any]
Source: TypeAlias = File | ArrowStream | Iterable[File] | Iterable[Row]
Method: TypeAlias = Literal["auto", "dustbuster", "rewrite", "decision-tree", "pattern-tree", "seq2seq"]
Option: TypeAlias = str | int | float | bool | None


class InputWarning(UserWarning):
    """Something about an input that a person should know: rows that could not be read, why no rule was found."""


class Clusters(NamedTuple):
    """Pages with their clusters."""

    pages: list[dict[str, Any]]
    """A row for each page, site by site: `url`, `cluster`, and what else is known."""
    report: dict[str, Any]
    """How many pages there are, how many different ones, and which evidence shows it."""


def learn(
    source: Source,
    *,
    method: Method = "auto",
    max_fpr: float | str = 0.01,
    min_support: int | None = None,
    seed: int = 0,
    threads: int = 0,
    site_by: Literal["domain", "host"] = "domain",
    format: str | None = None,
    host: str | None = None,
    strict: bool = False,
    keep: RuleSet | None = None,
    **options: Option,
) -> RuleSet:
    """Learn rules from a crawl, an index or a log.

    `source` is a file or a folder (of any format that the command reads), a list of them, rows (`[{"url": ..., "digest": ...}, ...]`),
    or a table with the Arrow PyCapsule interface. Columns are those of the command: `url`, and any of `cluster`, `digest`, `simhash`, `size`, `status`,
    `title`, `canonical`, `redirect`, `html`, `text`.

    `max_fpr` is an upper bound (95 % confidence, on held-out URLs) of the share of false positives of a site's rules together: 0.01 or "1%". `threads=0` uses all cores; the
    result does not depend on it. What was decided on the rules of `keep` stays, as when the command learns into a file that is there: rejected rules are not
    proposed again, those accepted or written by hand are kept. Further options are those of `undust learn`: `no_model=True`, `min_trials=20`, `likely=True`.

    Raises `UndustError` if there is nothing to learn from or an option is wrong, and `OSError` if a file cannot be read.
    """
    named: dict[str, Option] = {
        "method": method,
        "max_fpr": max_fpr,
        "min_support": min_support,
        "seed": seed,
        "threads": threads,
        "site_by": site_by,
        "format": format,
        "host": host,
        "strict": strict,
    }
    rules, talk = _undust.learn(_sources(source), _flags(named | options), keep)
    _warn(talk)
    return rules


def evaluate(
    rules: RuleSet | File,
    source: Source,
    *,
    form: Literal["key", "url"] = "key",
    normalize: bool = True,
    format: str | None = None,
    strict: bool = False,
) -> dict[str, Any]:
    """Score rules on labelled pages with every metric of the papers: what `undust eval --json` prints.

    `source` is what `learn` takes; it needs a column `cluster` or `digest`.
    """
    rule_set = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    flags = _flags({"form": form, "no_normalize": not normalize, "format": format, "strict": strict})
    scores, talk = _undust.evaluate(rule_set, _sources(source), flags)
    _warn(talk)
    return scores


def cluster(
    source: Source,
    *,
    by: str = "auto",
    distance: int = 3,
    resemblance: float = 0.99,
    ignore_titles: bool = False,
    row_order: Literal["auto", "keep", "ignore"] = "auto",
    threads: int = 0,
    site_by: Literal["domain", "host"] = "domain",
    format: str | None = None,
    host: str | None = None,
    strict: bool = False,
) -> Clusters:
    """Find out which pages of a crawl are the same, site by site.

    `source` is what `learn` takes, with `html`, `text`, `digest` or `simhash`. `by` says what counts as evidence: `auto`, or some of `digest`,
    `simhash`, `shingles`, `rows`, `canonical`, `redirect`, `declared`, separated by commas. `row_order` says when the order of rows of tables and
    lists counts: `auto` (not between URLs that differ in their queries alone), `keep` (always) or `ignore` (never).
    """
    named: dict[str, Option] = {
        "by": by,
        "distance": distance,
        "resemblance": resemblance,
        "ignore_titles": ignore_titles,
        "row_order": row_order,
        "threads": threads,
        "site_by": site_by,
        "format": format,
        "host": host,
        "strict": strict,
    }
    lines, report, talk = _undust.cluster(_sources(source), _flags(named))
    _warn(talk)
    # URLs need not be UTF-8.
    text = lines.decode("utf-8", "surrogateescape")
    return Clusters([json.loads(line) for line in text.splitlines()], report)


def _sources(source: Source) -> list[Any]:
    """Inputs as the native half takes them: names of files, tables, and rows as JSON lines."""
    if isinstance(source, str | PathLike):
        return [fspath(source)]
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        return [source]
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        raise TypeError(f"pages come from files, tables or rows, not from {type(source).__name__}")
    items: list[Any] = list(source)
    if all(isinstance(item, str | PathLike) for item in items):
        return [fspath(item) for item in items]
    lines = "".join(_line(item) for item in items)
    return [lines.encode("utf-8", "surrogateescape")]


def _line(row: Any) -> str:
    if not isinstance(row, Mapping):
        raise TypeError(f"a row is a dictionary such as {{'url': ...}}, not {type(row).__name__}")
    known = {name: value for name, value in row.items() if value is not None}
    return json.dumps(known, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    """A value that JSON does not know, as a string: bytes (URLs may be), times, numbers of numpy."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return str(value)


# What the command writes and prints is what a function returns.
_NOT_OPTIONS = {"output", "fresh", "json", "report", "help", "version"}


def _flags(options: Mapping[str, Option]) -> list[str]:
    """Options as on the command line."""
    flags = []
    for name, value in options.items():
        if name in _NOT_OPTIONS:
            raise TypeError(f"'{name}' is no option here")
        if value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        flags.append(flag if value is True else f"{flag}={value}")
    return flags


def _warn(talk: list[str]) -> None:
    if talk:
        warnings.warn("\n".join(talk), InputWarning, stacklevel=3)
