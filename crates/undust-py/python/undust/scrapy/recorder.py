"""Writes down what was fetched, for `undust learn`: one JSON object a line, and a line for each page."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider

    from .stats import Stats

#: What `undust learn` reads, in the order in which it is written; last the words of the main text, or the text itself.
FIELDS = ("size", "digest", "simhash", "title", "canonical", "redirect")


class Recorder:
    """Appends whole lines to a file."""

    def __init__(self, path: Path, text: bool, stats: Stats) -> None:
        self._fields = (*FIELDS, "text" if text else "undust_words")
        self._stats = stats
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without a buffer each line is one write: crawls that end in the middle, or share a file, leave no halves of lines.
            self._file = path.open("ab+", buffering=0)
        except OSError as error:
            raise ValueError(f"UNDUST_RECORD = {str(path)!r}: {error}") from error
        self._end_line()

    def page(self, url: str, status: int, page: Mapping[str, Any]) -> None:
        """Record a page, as `undust.read_page` gives it."""
        known = {name: page[name] for name in self._fields if page.get(name) is not None}
        line = json.dumps({"url": url, "status": status, **known})
        self._file.write(line.encode() + b"\n")
        self._stats.count("recorded")

    def redirect(self, url: str, status: int, target: str) -> None:
        """Record a redirect."""
        self.page(url, status, {"redirect": target})

    def close(self) -> None:
        self._file.close()

    def _end_line(self) -> None:
        """Go on behind the last line, also where somebody else's write was cut off."""
        if self._file.seek(0, 2) > 0:
            self._file.seek(-1, 2)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")


def place(template: str, spider: Spider | type[Spider]) -> Path:
    """The path with the values for `%(name)s`, `%(time)s` and other attributes of the spider, as for Scrapy's feeds."""
    now = datetime.now(tz=timezone.utc).replace(microsecond=0).isoformat().replace(":", "-")
    values = {name: getattr(spider, name, None) for name in dir(spider)}
    try:
        return Path(template % {**values, "time": now})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"UNDUST_RECORD = {template!r}: cannot fill in {error}") from error
