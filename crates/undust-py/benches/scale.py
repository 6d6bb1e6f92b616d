"""What a row costs on a Spark cluster of two workers and on the command line, on the same Parquet file; and are the rules the same?

    python scale.py DATA [--rows 2000000] [--sites 300000] [--giant 5000000]

DATA holds labelled sites (`*.tsv.gz` with `url` and `cluster`). Sites of the size of the web's are made of pieces of them: most have a few rows, some have
thousands. With `--giant`, one more site of so many rows. CPU time is that of all executors and Python workers, read from /proc.
"""

import argparse
import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from spark_cluster import Cluster, session  # noqa: E402

from undust import spark as undust_spark  # noqa: E402
from undust.spark._jobs import _by_site  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
#: Of how many sites are how large, a Pareto distribution: most have a few rows.
SHAPE = 1.15


def real_sites(data: Path) -> list[list[tuple[str, str]]]:
    """Path and query of each URL, and its cluster, of every labelled site."""
    sites = []
    for file in sorted(data.glob("*.tsv.gz")):
        with gzip.open(file, "rt", errors="replace") as lines:
            names = next(lines).rstrip("\n").split("\t")
            url, cluster = names.index("url"), names.index("cluster")
            rows = [line.rstrip("\n").split("\t") for line in lines]
            sites.append([(_rest(row[url]), row[cluster]) for row in rows if len(row) > max(url, cluster)])
    return sites


def _rest(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"


def make(path: Path, data: Path, rows: int, sites: int, giant: int) -> None:
    """Write the table."""
    generator = random.Random(7)
    real = real_sites(data)
    sizes = [1 + int(generator.paretovariate(SHAPE)) for _ in range(sites)]
    scale = rows / sum(min(size, 20_000) for size in sizes)
    urls, clusters = [], []
    for number, size in enumerate(sizes):
        source = generator.choice(real)
        count = max(1, round(min(size, 20_000) * scale))
        start = generator.randrange(max(1, len(source) - count))
        for rest, cluster in source[start : start + count]:
            urls.append(f"http://www.site{number}.com{rest}")
            clusters.append(f"{number}-{cluster}")
    for url, cluster in giant_site(real, giant):
        urls.append(url)
        clusters.append(cluster)
    order = list(range(len(urls)))
    generator.shuffle(order)
    table = pa.table({"url": [urls[i] for i in order], "cluster": [clusters[i] for i in order]})
    pq.write_table(table, path, row_group_size=100_000, compression="zstd")


def giant_site(real: list[list[tuple[str, str]]], rows: int) -> Iterator[tuple[str, str]]:
    """A site larger than all real ones: these side by side, again and again."""
    for number in range(rows):
        place, step = number % len(real), number // len(real)
        source = real[place]
        turn, at = divmod(step, len(source))
        rest, cluster = source[at]
        yield f"http://www.giant.org/{place}/{turn}{rest}", f"giant-{place}-{turn}-{cluster}"


def cluster_cpu(cluster: Cluster) -> float:
    """CPU seconds of all processes of the workers, those that ended included."""
    sessions = {worker.pid for worker in cluster.workers}
    ticks = 0
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if len(fields) > 15 and int(fields[3]) in sessions:
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def peak_memory(cluster: Cluster) -> int:
    """The largest Python worker so far, in MB."""
    sessions, most = {worker.pid for worker in cluster.workers}, 0
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) in sessions and "python" in (entry / "comm").read_text():
                status = (entry / "status").read_text()
                most = max(most, int(status.split("VmHWM:")[1].split()[0]) // 1024)
        except (OSError, ValueError, IndexError):
            continue
    return most


def command(*arguments: object) -> float:
    """CPU seconds of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "undust", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--sites", type=int, default=300_000)
    parser.add_argument("--giant", type=int, default=0)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--table", type=Path, help="use this table, or make it")
    parser.add_argument("--no-command", action="store_true", help="leave out the command line")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, rules_file = args.table or folder / "pages.parquet", folder / "rules.json"
        if not table.exists():
            make(table, args.data, args.rows, args.sites, args.giant)
        rows = pq.read_metadata(table).num_rows
        print(f"{rows:,} rows, {table.stat().st_size / 1e6:.0f} MB of Parquet", flush=True)

        def say(what: str, cpu: float, wall: float) -> None:
            print(f"{what:28}{cpu / rows * 1e6:8.2f} us CPU a row{wall:8.0f} s", flush=True)

        if not args.no_command:
            for what, arguments in (
                ("learn, command", ("learn", table, "-o", rules_file, "--method", args.method)),
                ("apply, command", ("apply", "--rules", rules_file, table, "-o", folder / "keys.parquet")),
            ):
                start = time.monotonic()
                say(what, command(*arguments), time.monotonic() - start)
        with Cluster(folder) as cluster:
            spark = session(cluster.master, **{"spark.sql.shuffle.partitions": str(args.partitions)})
            spark.range(10).count()
            pages = spark.read.parquet(str(table))
            before, start = cluster_cpu(cluster), time.monotonic()
            _by_site(pages, None, "domain").write.format("noop").mode("overwrite").save()
            say("sort by site, Spark", cluster_cpu(cluster) - before, time.monotonic() - start)
            before, start = cluster_cpu(cluster), time.monotonic()
            learned = undust_spark.learn(pages, method=args.method).cache()
            rules = undust_spark.rule_set(learned, method=args.method)
            say("learn, Spark", cluster_cpu(cluster) - before, time.monotonic() - start)
            print(f"largest Python worker: {peak_memory(cluster)} MB; {len(rules):,} rules on {len(rules.sites):,} sites")
            totals = learned.selectExpr("count(*)", "sum(rows)", "sum(bad)", "sum(int(share < 1))", "count(error)").first()
            print("sites, rows, bad, sampled, errors:", *totals)
            for row in learned.orderBy("rows", ascending=False).limit(2).collect():
                print(f"{row['site']}: {row['rows']:,} rows, share {row['share']}, {row['urls']:,} URLs, {row['count']} rules")
            before, start = cluster_cpu(cluster), time.monotonic()
            undust_spark.canonicalize(pages, rules).write.parquet(str(folder / "keys"))
            say("apply, Spark", cluster_cpu(cluster) - before, time.monotonic() - start)
            before, start = cluster_cpu(cluster), time.monotonic()
            undust_spark.evaluate(pages, rules).write.format("noop").mode("overwrite").save()
            say("evaluate, Spark", cluster_cpu(cluster) - before, time.monotonic() - start)
            print(f"largest Python worker: {peak_memory(cluster)} MB")
            spark.stop()
        if not args.no_command:
            ours = folder / "spark" / rules_file.name
            ours.parent.mkdir()
            rules.save(ours)
            files = [rules_file, rules_file.with_suffix(".safetensors")]
            same = [file.exists() == (ours.parent / file.name).exists() and (not file.exists() or file.read_bytes() == (ours.parent / file.name).read_bytes()) for file in files]
            print("the same rules and models, byte for byte:", *same)


if __name__ == "__main__":
    main()
