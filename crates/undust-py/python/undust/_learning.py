"""Learning, scoring and clustering: sources and keywords in, results and warnings out."""

import json
import warnings
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypedDict

from undust import _undust
from undust._results import ClusterReport, Learner, Scores, Setting
from undust._undust import RuleSet, UndustError


class ArrowStream(Protocol):
    """What has the Arrow PyCapsule interface: tables and data frames of pyarrow, polars, pandas, duckdb."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


File: TypeAlias = str | PathLike[str]
Row: TypeAlias = Mapping[str, Any]
Source: TypeAlias = File | ArrowStream | Iterable[File] | Iterable[Row]
#: The learners of the registry that can be asked for by name; a test holds both equal.
Method: TypeAlias = Literal["auto", "dustbuster", "rewrite", "decision-tree", "pattern-tree", "seq2seq", "statements"]
SiteBy: TypeAlias = Literal["domain", "host"]
Settings: TypeAlias = Mapping[str, str | int | float | bool]

#: Of a site with more URLs, a sample is learned from.
MAX_URLS = 200_000
#: Bytes of input that are held in memory; the rest is in temporary files.
MEMORY = 4 << 30
#: Of a longer page in a web archive or a folder, only the beginning is read.
MAX_BODY = 8 << 20
#: More threads than any machine can use only exhaust it.
MAX_THREADS = 1024


class LearnKeywords(TypedDict):
    """Options of learning, as the native half takes them; they can be pickled."""

    method: str
    max_fpr: str
    settings: list[tuple[str, str]]
    skips: bool
    likely: bool
    max_urls: int
    seed: int
    site_by: str


class ReadKeywords(TypedDict):
    """Options of reading, as the native half takes them."""

    format: str | None
    host: str | None
    strict: bool
    max_body: int
    threads: int


class InputWarning(UserWarning):
    """Something about an input that a person should know: rows that could not be read, why no rule was found."""


class Clusters(NamedTuple):
    """Pages with their clusters."""

    pages: list[dict[str, Any]]
    """A row for each page, site by site: `url`, `cluster`, and what else is known."""
    report: ClusterReport
    """How many pages there are, how many different ones, and which evidence shows it."""


def learn(
    source: Source,
    *,
    method: Method = "auto",
    max_fpr: float | str = 0.01,
    settings: Settings | None = None,
    skips: bool = True,
    likely: bool = False,
    max_urls: int = MAX_URLS,
    seed: int = 0,
    threads: int = 0,
    site_by: SiteBy = "domain",
    format: str | None = None,
    host: str | None = None,
    strict: bool = False,
    max_body: int = MAX_BODY,
    memory: int = MEMORY,
    keep: RuleSet | None = None,
) -> RuleSet:
    """Learn rules from a crawl, an index or a log.

    `source` is a file or a folder (of any format that the command reads), a list of them, rows (`[{"url": ..., "digest": ...}, ...]`),
    or a table with the Arrow PyCapsule interface. Columns are those of the command: `url`, and any of `cluster`, `digest`, `simhash`, `size`, `status`,
    `title`, `canonical`, `redirect`, `html`, `text`.

    - `method`: the learner, one of `learners()`.
    - `max_fpr`: upper bound (95 % confidence, on held-out URLs) of the share of false positives of a site's rules together: 0.01 or "1%".
    - `settings`: settings of learners and of clustering by name, such as `{"rewrite.filter": "entropy:80%"}`; `settings()` lists them.
    - `skips`: whether `auto` also learns skips: shapes of URLs that never lead to anything new.
    - `likely`: do not judge rules by labels, only list which are likely, to be tried out by `undust validate`.
    - `max_urls`: of a site with more URLs, a sample is learned from.
    - `seed`: seed of every sample taken.
    - `threads`: 0 uses all cores; the result does not depend on it.
    - `site_by`: what a site is, a registrable domain or a host.
    - `format`, `host`, `strict`, `max_body`: how files are read, as `--format`, `--host`, `--strict` and `--max-body` of the command.
    - `memory`: bytes of input that are held in memory; the rest is in temporary files.
    - `keep`: earlier rules. What was decided on them stays, as when the command learns into a file that is there: rejected rules are not proposed again,
      those accepted or written by hand are kept.

    The `report` of the rules has the counts. Raises `UndustError` if there is nothing to learn from or a value is wrong, and `OSError` if a file cannot be read.
    """
    options = learn_keywords(method, max_fpr, settings, skips, likely, max_urls, seed, site_by)
    reading = _read_keywords(format, host, strict, max_body, threads)
    rules, messages = _undust.learn(_sources(source), options, reading, _whole("memory", memory), keep)
    _warn(messages)
    return rules


def evaluate(
    rules: RuleSet | File,
    source: Source,
    *,
    form: Literal["key", "url"] = "key",
    normalize: bool = True,
    format: str | None = None,
    host: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Scores:
    """Score rules on labelled pages with every metric of the papers.

    `source` is what `learn` takes; it needs a column `cluster` or `digest`. `to_dict()` of the scores is what `undust eval --json` prints.
    """
    rule_set = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    reading = _read_keywords(format, host, strict, MAX_BODY, threads)
    scores, messages = _undust.evaluate(rule_set, _sources(source), form, normalize, reading)
    _warn(messages)
    return Scores.from_dict(scores)


def cluster(
    source: Source,
    *,
    by: str = "auto",
    distance: int = 3,
    resemblance: float | str = 0.99,
    ignore_titles: bool = False,
    row_order: Literal["auto", "keep", "ignore"] = "auto",
    threads: int = 0,
    site_by: SiteBy = "domain",
    format: str | None = None,
    host: str | None = None,
    strict: bool = False,
    max_body: int = MAX_BODY,
    memory: int = MEMORY,
) -> Clusters:
    """Find out which pages of a crawl are the same, site by site.

    `source` is what `learn` takes, with `html`, `text`, `digest` or `simhash`. `by` says what counts as evidence: `auto`, or some of `digest`,
    `simhash`, `shingles`, `rows`, `canonical`, `redirect`, `declared`, separated by commas. `row_order` says when the order of rows of tables and
    lists counts: `auto` (not between URLs that differ in their queries alone), `keep` (always) or `ignore` (never). The others are those of `learn`.
    """
    settings: Settings = {
        "cluster.by": by,
        "cluster.distance": distance,
        "cluster.resemblance": resemblance,
        "cluster.ignore-titles": ignore_titles,
        "cluster.row-order": row_order,
    }
    reading = _read_keywords(format, host, strict, max_body, threads)
    (lines, report), messages = _undust.cluster_pages(_sources(source), _texts(settings), site_by, reading, _whole("memory", memory))
    _warn(messages)
    # URLs need not be UTF-8.
    text = lines.decode("utf-8", "surrogateescape")
    return Clusters([json.loads(line) for line in text.split("\n") if line], ClusterReport.from_dict(report))


def learners() -> list[Learner]:
    """The learners that `learn` takes as `method`, with their papers and settings."""
    return [Learner.from_dict(learner) for learner in _undust.learners()]


def settings() -> list[Setting]:
    """All settings that `learn` takes: of learning itself, of clustering, and of each learner."""
    return [Setting.from_dict(setting) for setting in _undust.settings()]


def learn_keywords(
    method: str,
    max_fpr: float | str,
    settings: Settings | None,
    skips: bool,
    likely: bool,
    max_urls: int,
    seed: int,
    site_by: str,
) -> LearnKeywords:
    """Options of learning, as the native half takes them."""
    return {
        "method": method,
        "max_fpr": str(max_fpr),
        "settings": _texts(settings or {}),
        "skips": skips,
        "likely": likely,
        "max_urls": _whole("max_urls", max_urls),
        "seed": _whole("seed", seed),
        "site_by": site_by,
    }


def _read_keywords(format: str | None, host: str | None, strict: bool, max_body: int, threads: int) -> ReadKeywords:
    return {
        "format": format,
        "host": host,
        "strict": strict,
        "max_body": _whole("max_body", max_body),
        "threads": _whole("threads", threads, MAX_THREADS),
    }


def _whole(name: str, value: int, most: int = (1 << 63) - 1) -> int:
    """A number in range."""
    if not 0 <= value <= most:
        raise UndustError(f"bad value for '{name}': {value} is not a number from 0 to {most}")
    return value


def _texts(settings: Settings) -> list[tuple[str, str]]:
    """Settings with their values as text."""
    return [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in settings.items()]


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


def _warn(messages: list[str]) -> None:
    if messages:
        warnings.warn("\n".join(messages), InputWarning, stacklevel=3)
