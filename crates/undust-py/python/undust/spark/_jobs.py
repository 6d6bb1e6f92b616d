"""What is asked of Spark. All functions of tasks are made here, and hold nothing but plain values: they travel to the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from undust import RuleSet
from undust._learning import _flags
from undust.spark import _tasks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, Row

    from undust._learning import Method, Option

#: Of a larger site, a sample is learned from.
MOST_URLS = 500_000
#: And of one whose pages take more memory.
MOST_BYTES = 256 << 20
#: A site that takes longer is given up.
SECONDS = 600.0

LESSON = (
    "site string, rules string, model binary, count bigint, urls bigint, clusters bigint, saved bigint, rows bigint, bad bigint, share double, error string"
)
SCORE = "site string, urls bigint, clusters bigint, crawled bigint, covered bigint, rules bigint, precision double, recall double, f1 double"


def learn(
    df: DataFrame,
    *,
    method: Method = "auto",
    max_fpr: float = 0.01,
    partitions: int | None = None,
    most_urls: int = MOST_URLS,
    most_bytes: int = MOST_BYTES,
    seconds: float = SECONDS,
    **options: Option,
) -> DataFrame:
    """Learn rules for every site of a data frame with a column `url`, and any of those that `undust.learn` knows.

    Returns a row for each site: its `rules` (a rule file of this site alone, or null), the `count` of them, the `urls` and `clusters` that were learned
    from, the URLs `saved`, the `rows` that came in, those that were `bad`, the `share` of the site that was learned from (1 but for sites
    above `most_urls` or `most_bytes`), and the `error`, if the site could not be learned. Rows without a URL that has a host are
    counted under the site ''. `rule_set` makes a rule set of it.

    `partitions` is the number of tasks (default: Spark's own for shuffles); a site is one task's. `options` are those of `undust.learn`.
    """
    flags = _flags({"method": method, "max_fpr": max_fpr, "threads": 1} | options)
    return _by_site(df, partitions, flags).mapInArrow(_tasks.Learn(flags, most_urls, most_bytes, seconds), LESSON)


def rule_set(learned: DataFrame | Iterable[Row], **options: Option) -> RuleSet:
    """The rule set of what `learn` returned: the same, byte for byte, as the command learns from the same rows.

    `options` must be those that `learn` was given: they are noted in the rule file.
    """
    from pyspark.sql import DataFrame

    from undust import _undust

    columns = ("rules", "model", "urls", "clusters")
    rows = learned.select(*columns).toLocalIterator() if isinstance(learned, DataFrame) else learned
    lessons = [(row["rules"], None if row["model"] is None else bytes(row["model"]), row["urls"], row["clusters"]) for row in rows]
    return _undust.gather(lessons, _flags({"threads": 1} | options))


def canonicalize(
    df: DataFrame,
    rules: RuleSet | str,
    *,
    column: str = "url",
    form: Literal["key", "url"] = "key",
    into: str | None = None,
) -> DataFrame:
    """The data frame with one more column, `undust_key` or `undust_url`: the canonical form of the URL in `column`, null where that is null."""
    from pyspark.sql import types

    into = into or f"undust_{form}"
    rest = df.drop(into)
    schema = types.StructType([*rest.schema.fields, types.StructField(into, types.StringType())])
    rules = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    return rest.mapInArrow(_tasks.Canonicalize(rules, column, form, into), schema)


def evaluate(df: DataFrame, rules: RuleSet | str, *, partitions: int | None = None, **options: Option) -> DataFrame:
    """What rules are worth on labelled rows (`cluster` or `digest`): a row for each site, with URLs, pages, what is crawled and covered, precision, recall and F1."""
    rules = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    return _by_site(df, partitions, _flags({"threads": 1} | options)).mapInArrow(_tasks.Evaluate(rules), SCORE)


def _by_site(df: DataFrame, partitions: int | None, flags: list[str]) -> DataFrame:
    """The columns that say something about pages, and the site; rows of a site together, and sites in order."""
    from pyspark.sql import types

    from undust import _undust

    known = _undust.page_columns(df.columns)
    fields = [field for field in df.schema.fields if field.name in known]
    schema = types.StructType([*fields, types.StructField("site", types.StringType())])
    sited = df.select(*known).mapInArrow(_tasks.AddSite(flags), schema)
    together = sited.repartition(partitions, "site") if partitions else sited.repartition("site")
    return together.sortWithinPartitions("site")
