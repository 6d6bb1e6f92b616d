"""What is kept of a page to see whether another one is the same: 24 bytes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

#: In how many bits the simhashes of equal pages may differ: clocks and counters change between two fetches.
DISTANCE = 3

#: The sketch of a page that does not exist; it is the same as no other.
GONE = b""


def sketch(page: Mapping[str, Any]) -> bytes:
    """The sketch of a page as `undust.read_page` gives it."""
    digest, text, title = page.get("digest"), page.get("simhash"), page.get("title")
    return _hash(digest) + (bytes.fromhex(text) + _hash(title) if text else b"")


def is_same(one: bytes, other: bytes) -> bool:
    """Whether both are sketches of the same page: of equal digests, or of like texts under equal titles."""
    if not one or not other:
        return False
    return one[:8] == other[:8] or (len(one) == len(other) == 24 and one[16:] == other[16:] and _distance(one, other) <= DISTANCE)


def _distance(one: bytes, other: bytes) -> int:
    differing = int.from_bytes(one[8:16], "big") ^ int.from_bytes(other[8:16], "big")
    return bin(differing).count("1")


def _hash(text: str | None) -> bytes:
    return blake2b((text or "").encode(errors="surrogatepass"), digest_size=8).digest()
