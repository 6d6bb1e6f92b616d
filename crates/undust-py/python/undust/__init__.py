"""Learn which of a site's URLs lead to the same page, and use it before anything is fetched.

>>> import undust
>>> rules = undust.learn("crawl.jsonl")  # doctest: +SKIP
>>> rules.save("rules.json")  # doctest: +SKIP
>>> canonicalizer = undust.Canonicalizer("rules.json")  # doctest: +SKIP
>>> canonicalizer.canonicalize("http://forum.example.org/viewtopic.php?t=5&sid=ab12")  # doctest: +SKIP
'http://forum.example.org/viewtopic.php?t=5'
"""

from undust._learning import Clusters, InputWarning, cluster, evaluate, learn, learners, settings
from undust._results import ClusterReport, Evidence, Explanation, Learner, LearnReport, Metrics, Score, Scores, Setting
from undust._undust import (
    Canonicalizer,
    Rule,
    RuleSet,
    UndustError,
    __version__,
    read_page,
    simhash,
)

__all__ = [
    "Canonicalizer",
    "ClusterReport",
    "Clusters",
    "Evidence",
    "Explanation",
    "InputWarning",
    "LearnReport",
    "Learner",
    "Metrics",
    "Rule",
    "RuleSet",
    "Score",
    "Scores",
    "Setting",
    "UndustError",
    "__version__",
    "cluster",
    "evaluate",
    "learn",
    "learners",
    "read_page",
    "settings",
    "simhash",
]
