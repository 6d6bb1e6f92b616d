"""`python -m undust.spark learn|apply|eval`, also for spark-submit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from undust import UndustError, learners
from undust._learning import MAX_URLS
from undust.spark import canonicalize, evaluate, learn, mirrors, rule_set
from undust.spark._jobs import MAX_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    args = _parser().parse_args(arguments)
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(f"undust {args.command}").getOrCreate()
    try:
        args.run(spark, args)
    except (UndustError, OSError) as error:
        print(f"undust: {error}", file=sys.stderr)
        return 2
    finally:
        spark.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m undust.spark", description="undust on Apache Spark")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: Callable[[SparkSession, argparse.Namespace], None], what: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=what, description=what)
        added.set_defaults(run=run)
        added.add_argument("inputs", nargs="+", metavar="INPUT", help="tables that Spark can read")
        added.add_argument("--format", default="parquet", help="their format [parquet]")
        return added

    added = command("learn", _learn, "learn rules from tables of pages")
    added.add_argument("-o", "--output", default="rules.json", help="the rule file, written where the driver runs [rules.json]")
    added.add_argument("--table", help="also write what was learned as a table, a row for each site")
    added.add_argument("--method", default="auto", choices=[learner.name for learner in learners()])
    added.add_argument("--max-fpr", default="0.01", help="a share such as 0.01 or 1%%")
    _add_site_by(added)
    added.add_argument("--set", action="append", default=[], type=_setting, metavar="LEARNER.KEY=VALUE", help="a setting of a learner or of clustering")
    added.add_argument("--max-urls", type=int, default=MAX_URLS, help="of a site with more URLs, learn from a sample")
    added.add_argument("--max-seconds", type=float, default=MAX_SECONDS, help="give up sites that take longer")
    _add_partitions(added)
    added = command("apply", _apply, "add canonical forms to tables of URLs")
    _add_rules(added)
    added.add_argument("-o", "--output", required=True, help="where to write the tables")
    added.add_argument("--form", default="key", choices=("key", "url"))
    added = command("eval", _evaluate, "score rules on labelled pages")
    _add_rules(added)
    _add_partitions(added)
    added = command("mirrors", _mirrors, "find pairs of sites with the same pages")
    added.add_argument("-o", "--output", required=True, help="where to write the table of pairs")
    added.add_argument("--distance", type=int, default=3, help="in how many bits fingerprints may differ [3]")
    _add_site_by(added)
    return parser


def _setting(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("a setting is LEARNER.KEY=VALUE")
    return name, value


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument("-r", "--rules", required=True, help="the rule file")


def _add_site_by(command: argparse.ArgumentParser) -> None:
    command.add_argument("--site-by", default="domain", choices=("domain", "host"))


def _add_partitions(command: argparse.ArgumentParser) -> None:
    command.add_argument("--partitions", type=int, help="tasks [as Spark has it]")


def _read(spark: SparkSession, args: argparse.Namespace) -> DataFrame:
    return spark.read.format(args.format).load(args.inputs)


def _learn(spark: SparkSession, args: argparse.Namespace) -> None:
    learned = learn(
        _read(spark, args),
        method=args.method,
        max_fpr=args.max_fpr,
        settings=dict(args.set),
        max_urls=args.max_urls,
        site_by=args.site_by,
        partitions=args.partitions,
        max_seconds=args.max_seconds,
    )
    if args.table:
        learned.write.mode("overwrite").parquet(args.table)
        learned = spark.read.parquet(args.table)
    else:
        learned = learned.cache()
    rules = rule_set(learned, method=args.method, max_fpr=args.max_fpr, settings=dict(args.set), site_by=args.site_by)
    rules.save(Path(args.output))
    totals = learned.selectExpr("count(*) sites", "sum(rows) rows", "sum(bad) bad", "sum(saved) saved", "sum(int(share < 1)) sampled").collect()[0]
    failed = learned.where("error is not null").select("site", "error").limit(10).collect()
    print(f"{totals['rows']:,} rows on {totals['sites']:,} sites: {len(rules):,} rules, {totals['saved']:,} URLs saved")
    if totals["bad"]:
        print(f"{totals['bad']:,} rows could not be read")
    if totals["sampled"]:
        print(f"of {totals['sampled']:,} sites, a sample was learned from")
    for row in failed:
        print(f"  {row['site'] or '(no site)'}: {row['error']}")
    print(f"rules written to {args.output}")


def _apply(spark: SparkSession, args: argparse.Namespace) -> None:
    canonicalize(_read(spark, args), args.rules, form=args.form).write.mode("overwrite").parquet(args.output)


def _evaluate(spark: SparkSession, args: argparse.Namespace) -> None:
    scores = evaluate(_read(spark, args), args.rules, partitions=args.partitions).cache()
    scores.orderBy("urls", ascending=False).show(20, truncate=False)
    scores.selectExpr(
        "sum(urls) urls", "sum(clusters) clusters", "sum(crawled) crawled", "sum(covered) covered",
        "round(sum(covered) / sum(crawled), 4) precision", "round(sum(covered) / sum(clusters), 4) recall",
    ).show(truncate=False)


def _mirrors(spark: SparkSession, args: argparse.Namespace) -> None:
    pairs = mirrors(_read(spark, args), distance=args.distance, site_by=args.site_by)
    pairs.write.mode("overwrite").parquet(args.output)
    written = spark.read.parquet(args.output)
    written.orderBy("shared", ascending=False).show(20, truncate=False)
    print(f"{written.count():,} pairs of sites written to {args.output}")


if __name__ == "__main__":
    sys.exit(main())
