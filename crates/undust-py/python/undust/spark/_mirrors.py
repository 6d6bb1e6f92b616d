"""Sites with the same pages. Rules speak of one site; that another one is a copy of it is found by a join, which Spark does."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

from undust.spark import _tasks
from undust.spark._jobs import known_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def mirrors(
    df: DataFrame,
    *,
    distance: int = 3,
    min_pages: int = 10,
    min_share: float = 0.5,
    max_sites: int = 100,
    site_by: Literal["domain", "host"] = "domain",
) -> DataFrame:
    """Pairs of sites with the same pages: `site`, `mirror`, how many different `pages` and `mirror_pages` they have, how many are `shared`, and the `share` that these
    are of the smaller site.

    Pages are the same if their fingerprints differ in at most `distance` bits: those in the column `simhash`, or else of `text` or `html`, or else of `digest`, which must be equal.
    Pairs with fewer than `min_pages` shared pages, or a smaller share than `min_share`, are left out. A page of more than `max_sites` sites (a server's
    welcome, a parked domain) tells nothing of any two, and is passed over.
    """
    from pyspark.sql.functions import expr

    if not 0 <= distance <= 8:
        raise ValueError(f"distance = {distance}: fingerprints may differ in 0 to 8 bits")
    pages = known_columns(df).mapInArrow(_tasks.Fingerprint(site_by), "site string, print bigint")
    pages = pages.where("site <> '' and print is not null").distinct()
    everywhere = pages.groupBy("print").count().where(f"count > {int(max_sites)}")
    pages = pages.join(everywhere, "print", "left_anti")
    keys = ", ".join(f"print & {mask}L" for mask in masks(distance))
    keyed = pages.selectExpr("site", "print", f"posexplode(array({keys})) as (block, key)")
    twins = (
        keyed.withColumnsRenamed({"site": "mirror", "print": "other"})
        .join(keyed, ["block", "key"])
        .where(f"site < mirror and bit_count(print ^ other) <= {distance}")
    )
    # A page may have several twins: it counts once, on either side.
    shared = twins.groupBy("site", "mirror").agg(expr("least(count(distinct print), count(distinct other)) as shared"))
    sizes = pages.groupBy("site").agg(expr("count(*) as pages"))
    mirror_sizes = sizes.withColumnsRenamed({"site": "mirror", "pages": "mirror_pages"})
    pairs = shared.where(f"shared >= {int(min_pages)}").join(sizes, "site").join(mirror_sizes, "mirror")
    share = pairs.withColumn("share", expr("shared / least(pages, mirror_pages)"))
    return share.where(f"share >= {float(min_share)}").select("site", "mirror", "pages", "mirror_pages", "shared", "share")


def masks(distance: int) -> list[int]:
    """Which bits of two numbers to compare, so that any two that differ in at most `distance` of 64 bits are equal in all of some mask's: cut into two blocks more than that,
    two of them are always untouched."""
    blocks = distance + 2
    edges = [64 * block // blocks for block in range(blocks + 1)]
    block = [(1 << high) - (1 << low) for low, high in zip(edges, edges[1:])]
    return [_signed(one | other) for one, other in combinations(block, 2)]


def _signed(bits: int) -> int:
    """As Spark's `bigint` has it."""
    return bits - (1 << 64) if bits >> 63 else bits
