"""What is remembered of a crawl, in bounded memory."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

V = TypeVar("V")


class Memory(Generic[V]):
    """A table of the last things that were put into it: `most` at most, and half of that at least.

    It has two halves. When the young one is full, the old one is forgotten: cheaper than to find the oldest entry each time.
    """

    def __init__(self, most: int) -> None:
        self._half = max(1, most // 2)
        self._young: dict[bytes, V] = {}
        self._old: dict[bytes, V] = {}

    def get(self, name: bytes) -> V | None:
        value = self._young.get(name)
        return self._old.get(name) if value is None else value

    def put(self, name: bytes, value: V) -> None:
        if len(self._young) >= self._half and name not in self._young:
            self._old, self._young = self._young, {}
        self._young[name] = value

    def values(self) -> Iterator[V]:
        return chain(self._old.values(), self._young.values())


class First:
    """The URL that took a key first, and what was found there. There may be a million of them: 700 bytes each at most."""

    __slots__ = ("fetched", "moved", "rules", "sketch", "url")

    def __init__(self, url: bytes, rules: tuple[str, ...]) -> None:
        #: The fingerprint of the URL without rules; empty where the request was not to be filtered.
        self.url = url
        #: Those that made the key of this URL.
        self.rules = rules
        #: The sketch of its page, once it is fetched.
        self.sketch: bytes | None = None
        #: The key that it redirects to.
        self.moved: bytes | None = None
        #: Whether it could be fetched, once that is known.
        self.fetched: bool | None = None


Firsts = Memory[First]
