"""What is kept of a page to see whether another one is the same: 400 bytes at most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from undust._undust import imprint, is_same_page

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The sketch of a page that does not exist; it is the same as no other.
GONE = b""

#: Where digest and titles are in a sketch; pages that are the same have one of them in common.
MARKS = (slice(0, 8), slice(8, 12), slice(12, 16))


def sketch(page: Mapping[str, Any]) -> bytes:
    """The sketch of a page as `undust.read_page` gives it."""
    return imprint(page["url"], page.get("digest"), page.get("title"), page.get("text"))


def is_same(one: bytes, other: bytes) -> bool:
    """Whether both are sketches of the same page: of equal digests, or of like words under equal titles, but for echoes of their URLs."""
    return is_same_page(one, other)


def marks(sketch: bytes) -> set[tuple[int, bytes]]:
    """What sketches are looked up by."""
    return {(part.start, sketch[part]) for part in MARKS}
