"""undust for Scrapy: fetch one URL of each page, and record what the next rules are learned from.

    ADDONS = {"undust.scrapy.Addon": 500}
    UNDUST_RULES = "rules.json"

`docs/scrapy.md` says what it does and lists the settings.
"""

from .addon import Addon
from .dupefilter import DupeFilter
from .failures import FailureMiddleware
from .fingerprinter import Fingerprinter
from .skips import SkipMiddleware
from .watcher import Watcher

__all__ = ["Addon", "DupeFilter", "FailureMiddleware", "Fingerprinter", "SkipMiddleware", "Watcher"]
