"""undust on Apache Spark: the same learner and the same engine, inside of its workers.

    from undust import spark as undust_spark

    learned = undust_spark.learn(df)             # a row for each site
    rules = undust_spark.rule_set(learned)       # the same rule file as from the command
    keys = undust_spark.canonicalize(df, rules)  # with a column undust_key

`docs/spark.md` says what runs where.
"""

from undust.spark._jobs import canonicalize, evaluate, learn, rule_set
from undust.spark._mirrors import mirrors

__all__ = ["canonicalize", "evaluate", "learn", "mirrors", "rule_set"]
