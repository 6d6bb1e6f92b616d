"""How long would a job take on a cluster that is not here?

    python simulate.py DATA [--rows 3e9] [--engine 10]

Measured: what sites of several sizes cost to learn, on one core, by the function that runs in Spark's tasks. Simulated: as many sites as make up so many rows, of sizes
as in `scale.py`, dealt out to tasks by hash and to cores one task after the other. `--engine` is what a row costs in Spark itself, in microseconds, which
`scale.py` measures ("sort by site").
"""

import argparse
import heapq
import math
import random
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from scale import SHAPE, giant_site, real_sites
from undust import _undust
from undust._learning import MAX_URLS, learn_keywords

DEFAULTS = learn_keywords("auto", 0.01, None, True, False, MAX_URLS, 0, "domain")

SIZES = [3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 200_000]
#: At least so many rows are learned from to know what a size costs.
ENOUGH = 30_000
#: Larger sites are sampled.
MOST = 200_000
CORES = 16
ROWS_A_TASK = 500_000


def batch_of(real: list, size: int, generator: random.Random) -> pa.RecordBatch:
    """Sites of this size, sorted."""
    rows = []
    for number in range(max(1, ENOUGH // size)):
        name = f"site{number:06}.com"
        source = generator.choice(real)
        if size <= len(source):
            start = generator.randrange(len(source) - size + 1)
            pages = [(f"http://www.{name}{rest}", cluster) for rest, cluster in source[start : start + size]]
        else:
            pages = [(url.replace("giant.org", name), cluster) for url, cluster in giant_site([source], size)]
        rows += [{"site": name, "url": url, "cluster": cluster} for url, cluster in pages]
    return pa.RecordBatch.from_pylist(rows)


def costs(real: list) -> list[float]:
    """CPU seconds a row, for each size."""
    generator = random.Random(11)
    found = []
    for size in SIZES:
        batch = batch_of(real, size, generator)
        stream = _undust.SiteStream(DEFAULTS, 256 << 20, 3600.0)
        start = time.process_time()
        stream.push(batch)
        stream.finish()
        found.append((time.process_time() - start) / batch.num_rows)
        print(f"sites of {size:>7,} rows: {found[-1] * 1e6:7.1f} us a row", flush=True)
    return found


def loads(rows: float, tasks: int, by_size: list[float], engine: float) -> tuple[np.ndarray, int, float]:
    """CPU seconds of each task, how many sites there are, and how many seconds the longest takes."""
    generator = np.random.default_rng(5)
    load, count, total, longest = np.zeros(tasks), 0, 0.0, 0.0
    while total < rows:
        sizes = 1 + np.floor(1 + generator.pareto(SHAPE, 5_000_000))
        sizes = np.minimum(sizes, rows / 100)
        learned = np.minimum(sizes, MOST)
        cost = np.exp(np.interp(np.log(learned), np.log(SIZES), np.log(by_size))) * learned + engine * sizes
        load += np.bincount(generator.integers(0, tasks, len(sizes)), weights=cost, minlength=tasks)
        count, total, longest = count + len(sizes), total + sizes.sum(), max(longest, cost.max())
    return load, count, longest


def makespan(load: np.ndarray, cores: int) -> float:
    """When the last core is done."""
    ends = [0.0] * cores
    for seconds in load:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", type=float, default=3e9)
    parser.add_argument("--engine", type=float, default=10.0, help="microseconds a row in Spark itself")
    args = parser.parse_args()
    by_size = costs(real_sites(args.data))
    tasks = math.ceil(args.rows / ROWS_A_TASK)
    load, count, longest = loads(args.rows, tasks, by_size, args.engine / 1e6)
    print(f"{args.rows:.1e} rows, {count:,} sites, {tasks:,} tasks: {load.sum() / 3600:.0f} core-hours; longest site {longest:.0f} s, longest task {load.max():.0f} s")
    for nodes in (10, 100):
        wall = makespan(load, nodes * CORES)
        print(f"{nodes} nodes of {CORES} cores: {wall / 60:.1f} min, {load.sum() / wall / nodes / CORES:.0%} of the cores busy")


if __name__ == "__main__":
    sys.exit(main())
