"""The settings, read once and checked."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class Options(NamedTuple):
    """What the user asks for; `docs/scrapy.md` has the table."""

    rules: str | None
    record: str | None
    record_text: bool
    skip: bool
    sample: float
    max_fpr: float
    remember: int

    @classmethod
    def read(cls, settings: BaseSettings) -> Options:
        """The options of a crawl; a `ValueError` names the setting that cannot be used."""
        return cls(
            rules=_path(settings, "UNDUST_RULES"),
            record=_path(settings, "UNDUST_RECORD"),
            record_text=_switch(settings, "UNDUST_RECORD_TEXT"),
            skip=_switch(settings, "UNDUST_SKIP"),
            sample=_share(settings, "UNDUST_SAMPLE", 0.01),
            max_fpr=_share(settings, "UNDUST_MAX_FPR", 0.01),
            remember=_at_least_one(settings, "UNDUST_REMEMBER", 1_000_000),
        )


def _path(settings: BaseSettings, name: str) -> str | None:
    value = settings.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, (str, PathLike)):
        raise ValueError(f"{name} = {value!r}: not a path")
    return str(fspath(value))


def _switch(settings: BaseSettings, name: str) -> bool:
    try:
        return settings.getbool(name)
    except ValueError as error:
        raise ValueError(f"{name} = {settings[name]!r}: neither True nor False") from error


def _share(settings: BaseSettings, name: str, default: float) -> float:
    value = settings.get(name, default)
    try:
        share = float(value.removesuffix("%")) / 100 if isinstance(value, str) and value.endswith("%") else float(value)
    except (TypeError, ValueError):
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{name} = {value!r}: not a number from 0 to 1, nor a share such as '1%'")
    return share


def _at_least_one(settings: BaseSettings, name: str, default: int) -> int:
    try:
        number = settings.getint(name, default)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise ValueError(f"{name} = {settings[name]!r}: not a whole number of 1 or more")
    return number
