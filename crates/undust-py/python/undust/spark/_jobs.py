"""Jobs of Spark. The functions of tasks are made here, and hold nothing but plain values: they are sent to the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from undust import RuleSet, UndustError, _undust
from undust._learning import MAX_URLS, learn_keywords
from undust.spark import _tasks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from undust._learning import Method, Settings, SiteBy

#: Of a site whose rows take more memory, a sample is learned from.
MAX_BYTES = 256 << 20
#: A site that takes longer is given up.
MAX_SECONDS = 600.0

LEARNED_COLUMNS = (
    "site string, rules string, model binary, count bigint, urls bigint, clusters bigint, saved bigint, rows bigint, bad bigint, share double, error string"
)
GATHERED_COLUMNS = "rules string, model binary, urls bigint, clusters bigint"
SCORE_COLUMNS = "site string, urls bigint, clusters bigint, crawled bigint, covered bigint, rules bigint, precision double, recall double, f1 double"


def learn(
    df: DataFrame,
    *,
    method: Method = "auto",
    max_fpr: float | str = 0.01,
    settings: Settings | None = None,
    skips: bool = True,
    likely: bool = False,
    max_urls: int = MAX_URLS,
    seed: int = 0,
    site_by: SiteBy = "domain",
    partitions: int | None = None,
    max_bytes: int = MAX_BYTES,
    max_seconds: float = MAX_SECONDS,
) -> DataFrame:
    """Learn rules for every site of a data frame with a column `url`, and any of those that `undust.learn` knows.

    Returns a row for each site: its `rules` (a rule file of this site alone, or null), the `count` of them, the `urls` and `clusters` that were learned
    from, the URLs `saved`, the `rows` that came in, those that were `bad`, the `share` of the site that was learned from (1 but for sites of more URLs
    than `max_urls`, or of more than `max_bytes`), and the `error`, if the site could not be learned. Rows without a URL that has a host are
    counted under the site ''. `rule_set` makes a rule set of it.

    `partitions` is the number of tasks (default: Spark's own for shuffles); a site is one task's. A site that takes longer than `max_seconds` is given up. The others
    are those of `undust.learn`.
    """
    options = learn_keywords(method, max_fpr, settings, skips, likely, max_urls, seed, site_by)
    # A wrong value is an error here, not in every task.
    _undust.SiteStream(options, max_bytes, max_seconds)
    sites = _by_site(df, partitions, site_by)
    return sites.mapInArrow(_tasks.Learn(options, max_bytes, max_seconds), LEARNED_COLUMNS)


def rule_set(
    learned: DataFrame,
    *,
    method: Method = "auto",
    max_fpr: float | str = 0.01,
    settings: Settings | None = None,
    skips: bool = True,
    likely: bool = False,
    max_urls: int = MAX_URLS,
    seed: int = 0,
    site_by: SiteBy = "domain",
) -> RuleSet:
    """The rule set of what `learn` returned: the same, byte for byte, as the command learns from the same rows.

    The options must be those that `learn` was given: they are noted in the rule file.
    """
    options = learn_keywords(method, max_fpr, settings, skips, likely, max_urls, seed, site_by)
    # Most sites have no rules, and there may be millions of them: of these, only sums reach the driver.
    rows = learned.select("rules", "model", "urls", "clusters").mapInArrow(_tasks.sum_up_the_rest, GATHERED_COLUMNS).collect()
    urls, clusters, sites = 0, 0, []
    for row in rows:
        urls, clusters = urls + row["urls"], clusters + row["clusters"]
        if row["rules"] is not None or row["model"] is not None:
            sites.append((row["rules"], None if row["model"] is None else bytes(row["model"])))
    return _undust.gather(sites, urls, clusters, options)


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


def evaluate(df: DataFrame, rules: RuleSet | str, *, partitions: int | None = None) -> DataFrame:
    """Score rules on labelled rows (`cluster` or `digest`): a row for each site, with counts, precision, recall and F1."""
    rules = rules if isinstance(rules, RuleSet) else RuleSet.load(rules)
    return _by_site(df, partitions, rules.site_by).mapInArrow(_tasks.Evaluate(rules), SCORE_COLUMNS)


def _by_site(df: DataFrame, partitions: int | None, site_by: str) -> DataFrame:
    """The columns that describe pages, and the site; rows of a site together, and sites in order."""
    from pyspark.sql import types

    pages = known_columns(df)
    schema = types.StructType([*pages.schema.fields, types.StructField("site", types.StringType())])
    sited = pages.mapInArrow(_tasks.AddSite(site_by), schema)
    together = sited.repartition(partitions, "site") if partitions else sited.repartition("site")
    return together.sortWithinPartitions("site")


def known_columns(df: DataFrame) -> DataFrame:
    """The columns that describe pages."""
    known = _undust.page_columns(df.columns)
    if not any(name.lower() == "url" for name in known):
        raise UndustError(f"the data frame has no column 'url', only {', '.join(df.columns)}")
    return df.select(*known)
