"""A shop full of DUST, on a server of our own. It knows which page each of its URLs shows.

It is at http://www.shop.example/, for whoever uses the server as a proxy (`http_proxy=http://127.0.0.1:port`).
"""

from __future__ import annotations

import hashlib
import random
import threading
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

HOME = "http://www.shop.example/"
ITEMS = 210
CATEGORIES = 10
ON_A_PAGE = 7

SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru".split()
COMMON = "the of and to a in is it for with as on are this that by from which has or be at not an more its one can".split()


class Answer(NamedTuple):
    """What the server sends. The page is named by what it shows, however it is asked for; it is empty where there is none."""

    page: str
    body: str = ""
    status: int = 200
    location: str = ""
    content_type: str = "text/html; charset=utf-8"


class Site:
    """The running server."""

    def __init__(self) -> None:
        self.fetched: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Site:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def proxy(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def take_fetched(self) -> list[tuple[str, str]]:
        """The URLs that were fetched since the last call, each with the page that it showed."""
        fetched, self.fetched = self.fetched, []
        return fetched


@lru_cache(maxsize=None)
def answer(url: str) -> Answer:
    """What is at a URL."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    path = [part for part in parts.path.split("/") if part and part != "index.html"]
    match path:
        case []:
            return Answer("home", _home())
        case ["robots.txt"]:
            return Answer("", "User-agent: *\nDisallow: /print/\n", content_type="text/plain")
        case ["list", number] if _is_below(number, CATEGORIES):
            return _list(int(number), query)
        case ["item", number] if _is_below(number, ITEMS):
            return _item(int(number), query)
        case ["print", number] if _is_below(number, ITEMS):
            return Answer(f"item {number}", _article(int(number), "full"))
        case ["go", number] if _is_below(number, ITEMS):
            return Answer("", status=301, location=f"/item/{number}")
        case ["item", number, "next"] if _is_below(number, ITEMS):
            return Answer("", status=302, location=f"/item/{(int(number) + 1) % ITEMS}")
        case ["photo", number] if _is_below(number, ITEMS):
            return Answer(f"photo {number}", f"\x89PNG\0{number}", content_type="image/png")
    return Answer("", "<title>Not found</title><p>No such page.", status=404)


def links_to(number: int) -> list[str]:
    """The URLs of one article."""
    sids = [hashlib.md5(f"{number}/{n}".encode()).hexdigest() for n in range(2)]
    item = f"{HOME}item/{number}"
    return [
        item,
        f"{item}?sid={sids[0]}",
        f"{item}?sid={sids[1]}",
        f"{item}?view=full",
        f"{item}?ref=home",
        f"{item}?ref=list",
        f"{item}/index.html",
        f"http://shop.example/item/{number}",
        f"{HOME}print/{number}",
    ]


def _is_below(text: str, bound: int) -> bool:
    return text.isdigit() and int(text) < bound


def _item(number: int, query: dict[str, str]) -> Answer:
    view = query.get("view", "full")
    body = _article(number, view)
    page = f"item {number}" if view == "full" else f"item {number}, {view}"
    return Answer(page, _framed(_title(number), body, query.get("sid", "")))


def _list(category: int, query: dict[str, str]) -> Answer:
    number, order = int(query.get("page", "1")), query.get("sort", "name")
    items = [item for item in range(ITEMS) if item % CATEGORIES == category]
    pages = -(-len(items) // ON_A_PAGE)
    if order == "price":
        items.sort(key=lambda item: hashlib.md5(str(item).encode()).digest())
    shown = items[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    entries = "".join(f"<p><a href='{links_to(item)[5]}'>{_title(item)}</a> {_text(f'teaser {item}', 12)}" for item in shown)
    here = f"{HOME}list/{category}"
    others = [here, f"{here}?sort=name", f"{here}?page=1", f"{here}?sort=price"]
    others += [f"{here}?page={page}&sort={order}" for page in range(1, pages + 1)]
    links = "".join(f"<a href='{link}'>{link[-6:]}</a> " for link in others)
    title = f"Category {category}, page {number}, by {order}"
    return Answer(f"list {category}, {number}, {order}", _framed(title, entries + links, query.get("sid", "")))


def _home() -> str:
    links = "".join(f"<a href='/list/{category}'>Category {category}</a> " for category in range(CATEGORIES))
    return _framed("The shop", f"<p>{_text('home', 80)}</p>{links}", "")


def _article(number: int, view: str) -> str:
    """What an item's page says. Each of its URLs is linked from some other item's page, so that all can be found."""
    kinds = len(links_to(0))
    related = [links_to((number + 31 * kind + 1) % ITEMS)[kind] for kind in range(kinds)]
    if number % 3 == 0:
        # It looks like one more of them, but is a page of its own.
        related.append(f"{HOME}item/{number}?view=comments")
    if number % 5 == 0:
        related += [f"{HOME}item/{number}/next", f"{HOME}go/{number}", f"{HOME}photo/{number}"]
    links = "".join(f"<a href='{link}'>more</a> " for link in related)
    text = "".join(f"<p>{_text(f'{view} {number} {part}', 60)}</p>" for part in range(3))
    return f"<title>{_title(number)}</title><h1>{_title(number)}</h1>{text}{links}"


def _framed(title: str, body: str, sid: str) -> str:
    """A whole page: what stands around each of them, with the session id in a form, as shops do it."""
    menu = "".join(f"<li><a href='/list/{category}'>Category {category}</a></li>" for category in range(3))
    form = f"<form action='/cart'><input type=hidden name=sid value='{sid}'></form>"
    head = f"<!doctype html><title>{title}</title><body><nav><ul>{menu}</ul></nav>"
    return f"{head}{form}<main>{body}</main><footer>Since 1987</footer>"


def _title(number: int) -> str:
    return " ".join(_words(random.Random(f"title {number}"), 3)).title()


def _text(seed: str, words: int) -> str:
    """A text that looks like one, and is like no other."""
    rng = random.Random(seed)
    rare = _words(rng, words)
    return " ".join(rng.choice(COMMON) if rng.random() < 0.4 else word for word in rare).capitalize() + "."


def _words(rng: random.Random, number: int) -> list[str]:
    return ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(number)]


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            url = self.path if self.path.startswith("http") else f"http://{self.headers['Host']}{self.path}"
            found = answer(url)
            body = found.body.encode("latin-1" if "image" in found.content_type else "utf-8")
            if found.page:
                site.fetched.append((url, found.page))
            self.send_response(found.status)
            self.send_header("Content-Type", found.content_type)
            self.send_header("Content-Length", str(len(body)))
            if found.location:
                self.send_header("Location", found.location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing: the tests do."""

    return Handler
