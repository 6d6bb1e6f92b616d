"""A real Spark cluster on loopback: a master and two workers, each a process of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

WORKERS = 2


class Cluster:
    """Starts with `with`, and ends its processes by their ids."""

    def __init__(self, folder: Path, memory: str = "1g") -> None:
        self._folder, self._memory = folder, memory
        self.master = ""
        self.workers: list[subprocess.Popen] = []
        self._processes: list[subprocess.Popen] = []

    def __enter__(self) -> "Cluster":
        self.master = self._start_master()
        for number in range(WORKERS):
            worker = self._start(
                f"worker{number}", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
                "--memory", self._memory, "--work-dir", str(self._folder / f"work{number}"), "--webui-port", "0", self.master,
            )  # fmt: skip
            self._wait_for(f"worker{number}", "Successfully registered")
            self.workers.append(worker)
        return self

    def __exit__(self, *_: object) -> None:
        # Each has a group of its own: executors and Python workers go along.
        for process in reversed(self._processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def kill_worker(self, number: int) -> None:
        """As a machine that fails: the worker and all that it started."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)

    def _start_master(self) -> str:
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        return self._wait_for("master", r"Starting Spark master at (spark://\S+)").group(1)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = os.environ | {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        log = (self._folder / f"{name}.log").open("wb")
        process = subprocess.Popen(
            [home / "bin/spark-class", *arguments], stdout=log, stderr=log, env=environment, cwd=self._folder, start_new_session=True
        )
        self._processes.append(process)
        return process

    def _wait_for(self, name: str, pattern: str, seconds: float = 90) -> re.Match[str]:
        log = self._folder / f"{name}.log"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := re.search(pattern, log.read_text(errors="replace")):
                return found
            time.sleep(0.2)
        raise TimeoutError(f"{name} did not start:\n{log.read_text(errors='replace')}")


def session(master: str, **options: str):
    """A Spark session on this master."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("undust tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
    }
    for name, value in (settings | options).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
