"""What the parts share during one crawl: Scrapy builds each of them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from scrapy.utils import misc

from .memory import Firsts
from .options import Options
from .requests import Fingerprints
from .rules import RulesInForce
from .sentinel import Sentinel
from .skip_samples import SkippedSamples
from .spares import Spares
from .stats import Stats

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Crawl:
    """The state of one crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.options = Options.read(crawler.settings)
        self.rules = RulesInForce.load(self.options.rules)
        self.fingerprints = Fingerprints(crawler)
        self.stats = Stats(crawler)
        self.firsts = Firsts(self.options.remember)
        self.spares = Spares(crawler, self.firsts, self.fingerprints)
        samples = self.options.rules is not None and self.options.sample > 0
        self.skipped = SkippedSamples(self.firsts, self.stats)
        self.sentinel = Sentinel(self.rules, self.firsts, self.stats, self.options.max_fpr) if samples else None

    @classmethod
    def of(cls, crawler: Crawler) -> Crawl:
        """The state of this crawler's crawl, made when it is first asked for."""
        parts = vars(crawler)
        if "_undust" not in parts:
            parts["_undust"] = cls(crawler)
        return cast("Crawl", parts["_undust"])


def build(crawler: Crawler, setting: str, default: Any) -> Any:
    """An object of the class that a setting names."""
    cls = misc.load_object(crawler.settings.get(setting) or default)
    # Scrapy 2.12 gave it another name.
    if build_from_crawler := getattr(misc, "build_from_crawler", None):
        return build_from_crawler(cls, crawler)
    return getattr(misc, "create_instance")(cls, crawler.settings, crawler)
