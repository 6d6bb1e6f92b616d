"""Redirects on live servers: whatever was a page before the export was included still is one, and it is the one that `undust apply` leads to.

The documents have folders, listings, negotiated languages, odd names and capitals, so that the servers redirect by themselves as well.
"""

import http.client
import json
import os
import shutil
import subprocess
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest
from live_servers import HAS_APACHE, NGINX, apache, nginx, write_documents

UNDUST = os.environ.get("UNDUST_BIN") or shutil.which("undust")
if UNDUST is None:
    pytest.skip("there is no undust command", allow_module_level=True)

SERVERS = [
    pytest.param("apache", marks=pytest.mark.skipif(not HAS_APACHE, reason="there is no Apache")),
    pytest.param("nginx", marks=pytest.mark.skipif(NGINX is None, reason="there is no nginx")),
]


@contextmanager
def serving(server, folder, documents, export="", log=""):
    """A server with the export included; its port."""
    folder.mkdir(exist_ok=True)
    if server == "apache":
        with apache(folder, documents, export) as port:
            yield port
    else:
        redirect = "if ($undust_canonical) { return 301 $undust_canonical; }" if export else ""
        with nginx(folder, documents, export, redirect) as port:
            yield port


# The host that URLs name: another than the one that is connected to, so that rules do not depend on the port of the day.
HOST = "doc.test:8080"


def ask(port, url):
    """Status, and where the server redirects to."""
    _, _, host, rest = url.split("/", 3)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.putrequest("GET", f"/{rest}", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    connection.close()
    location = answer.getheader("Location")
    return answer.status, urljoin(url, location).replace(f"doc.test:{port}", HOST) if location else None


class Visit:
    """Where a browser that asks for `url` ends up, and by which way."""

    def __init__(self, port, url):
        self.hops = [url]
        self.status = "loop"
        for _ in range(20):
            status, location = ask(port, self.hops[-1])
            if status not in (301, 302):
                self.status = status
                break
            self.hops.append(location)

    @property
    def end(self):
        return self.hops[-1]


def odd_documents(folder):
    """Documents with names that must not be decoded, and with what a link into them may look like."""
    write_documents(folder)
    place = folder / "doc" / "sub"
    place.mkdir(parents=True)
    (folder / "doc" / "empty").mkdir()
    for name in ("What?.txt", "a#b.txt", "100%.txt", "a&b;c=d.txt", "a b.txt", "x%3Fy.txt", "plus+.txt", "index.html", "Case.TXT", "ü.txt"):
        (folder / "doc" / name).write_text(f"{name}\n")
        (place / name).write_text(f"sub {name}\n")
    (folder / "doc" / "sub" / "index.html").unlink()
    return folder


def urls_of(documents):
    """Every file and folder, in the spellings that links have."""
    urls = []
    for path in sorted([documents, *documents.rglob("*")]):
        inside = path.relative_to(documents).as_posix()
        name = "/" if inside == "." else f"/{quote(inside)}"
        folder = name if name == "/" else f"{name}/"
        names = [folder, name, *(f"{folder}?C={c};O={o}" for c in "NM" for o in "AD")] if path.is_dir() else [name]
        names += [f"{name}?sid=1", f"{name}?q=1%3F&sid=2", f"{name}?q=a?b&sid=3&r=%26", f"{name}&print=1", f"{name}?x=1&print=1", f"/{name}"]
        names += [name.replace("/", "//"), name.replace("/doc", "/doc//", 1), f"/doc{name}", f"/doc/{name}", f"{folder}/", f"{name}?"]
        names += [name.swapcase(), name.lower(), name.replace("%", "%25"), name.replace("%3F", "%3f"), f"{folder}../doc//sub/", f"{name}/.//"]
        if path.is_file():
            above = name.rsplit("/", 1)[0]
            names += [f"{above}/?file={name.rsplit('/', 1)[1]}", f"{name.split('.')[0]}", f"{name.rsplit('.', 1)[0]}"]
        urls += [f"http://{HOST}{name}" for name in dict.fromkeys(names)]
    return list(dict.fromkeys(urls))


def rewrite(name, match, to):
    return {"id": name, "match": f"http://{HOST}{match}", "rewrite": f"http://{HOST}{to}"}


# Each is good on both servers.
GOOD = [
    rewrite("doc", "/doc//{...}?{...}", "/doc/{...}?{...}"),
    rewrite("sid", "/{...}?sid={?}&{...}", "/{...}?{...}"),
    rewrite("sort", "/{...}?C={c};O={o}", "/{...}"),
    rewrite("file", "/{...}/?file={f}", "/{...}/{f}"),
    {"id": "root", "replace": f"^http://{HOST}//", "with": f"^http://{HOST}/"},
    {"id": "print", "replace": "&print=1$", "with": "$"},
    {"id": "index", "replace": "/index.html$", "with": "/$"},
]
# Folders have a slash: without it, servers redirect.
SLASH = [rewrite("slash", "/{...}/{x}/", "/{...}/{x}"), rewrite("slashes", "/doc/{x}/?{...}", "/doc/{x}?{...}")]
# What Apache's mod_speling redirects back, and nginx does not have.
SPELLED = [rewrite("spelled", "/{...}/README.Debian.html", "/{...}/readme.debian.html")]


def rule_file(folder, rules):
    path = folder / "rules.json"
    path.write_text(json.dumps({"undust": 1, "sites": [{"site": HOST.split(":")[0], "rules": rules}]}))
    return path


def undust(*arguments, **more):
    return subprocess.run([UNDUST, *map(str, arguments)], check=True, capture_output=True, text=True, **more)


def applied(rules, urls):
    run = undust("apply", "-r", rules, "--form", "url", input="".join(f"{url}\n" for url in urls))
    return dict(zip(urls, run.stdout.splitlines(), strict=True))


def is_slash(one, other):
    """Whether nothing but a slash at the end of the path makes the difference."""
    (a, _, p), (b, _, q) = one.partition("?"), other.partition("?")
    return p == q and a.rstrip("/") == b.rstrip("/")


def compare(server, tmp_path, rules, *options):
    """Ask for every URL before and after the export; the counts, what went wrong, and what the export said."""
    documents = odd_documents(tmp_path / "documents")
    urls = urls_of(documents)
    with serving(server, tmp_path / "before", documents) as port:
        before = {url: Visit(port, url) for url in urls}
        crawl = tmp_path / "crawl.jsonl"
        answers = {url: ask(port, url) for url in urls}
        rows = ({"url": url, "status": status, "redirect": location} for url, (status, location) in answers.items())
        crawl.write_text("".join(json.dumps({key: value for key, value in row.items() if value}) + "\n" for row in rows))
        export = undust("export", "-r", rules, "--to", server, *(crawl if option == "CRAWL" else option for option in options))
    kept = [rule for rule in json.loads(rules.read_text())["sites"][0]["rules"] if f"rule {rule['id']}\n" in export.stdout]
    becomes = applied(rule_file(tmp_path, kept), urls)
    with serving(server, tmp_path / "after", documents, export.stdout) as port:
        after = {url: Visit(port, url) for url in urls}
    with serving(server, tmp_path / "before", documents) as port:
        ends = {url: Visit(port, becomes[url]).end for url in urls}
    counts = Counter(asked=len(urls), rules=len(kept))
    wrong = []
    for url in urls:
        was, now = before[url].status, after[url].status
        counts[f"{was} before"] += 1
        counts[f"{now} after"] += 1
        counts["redirected by rules"] += becomes[url] in after[url].hops[1:] and becomes[url] not in before[url].hops
        # Where the server redirects what rules print, they may have more to say of that: it is the same page.
        leads_there = ends[url] in after[url].hops or after[url].end in (before[url].end, becomes[url])
        if (was == 200 and now != 200) or now == "loop" or (now == 403 != was) or (now == 200 and not leads_there):
            wrong.append((url, was, now, after[url].hops[:4], becomes[url], ends[url]))
    return counts, wrong, export.stderr


@pytest.mark.parametrize("server", SERVERS)
def test_every_page_stays(server, tmp_path):
    """Without any knowledge of the site. Rules about slashes at the end are left out, as they are a gamble."""
    counts, wrong, talk = compare(server, tmp_path, rule_file(tmp_path, GOOD + SLASH))
    print(server, dict(counts))
    assert wrong == []
    assert counts["rules"] == len(GOOD), talk
    assert counts["200 before"] > 1000 and counts["redirected by rules"] > 1000 and counts["200 after"] >= counts["200 before"]


@pytest.mark.parametrize("server", SERVERS)
def test_what_a_crawl_saw(server, tmp_path):
    """The crawl of the site as it is tells which rules print what it redirects."""
    counts, wrong, talk = compare(server, tmp_path, rule_file(tmp_path, SPELLED + SLASH + GOOD), "--known", "CRAWL")
    print(server, dict(counts))
    assert wrong == []
    assert counts["rules"] == len(GOOD), talk
    assert "the site redirects" in talk and "rule slash:" in talk and "rule spelled:" in talk


@pytest.mark.parametrize("server", SERVERS)
def test_the_site_is_asked(server, tmp_path):
    """A sample of what each rule prints, asked of the server itself: as its own name is the one that it is connected to by."""
    documents = odd_documents(tmp_path / "documents")
    text = json.dumps(SPELLED + SLASH + GOOD)
    with serving(server, tmp_path / "before", documents) as port:
        here = f"127.0.0.1:{port}"
        rules = tmp_path / "rules.json"
        sites = [{"site": "127.0.0.1", "rules": json.loads(text.replace(HOST, here))}]
        rules.write_text(json.dumps({"undust": 1, "sites": sites}))
        listed = tmp_path / "urls"
        listed.write_text("".join(url.replace(HOST, here) + "\n" for url in urls_of(documents)))
        polite = ("--allow-private", "--delay", "0.01")
        run = undust("export", "-r", rules, "--to", server, "--known", listed, "--try", f"http://{here}", *polite)
    left_out = run.stderr[run.stderr.index("left out: 3 rules"):]
    for name in ("slash", "slashes", "spelled"):
        assert f"rule {name}:" in left_out, run.stderr
    written = [line.split("rule ")[1] for line in run.stdout.splitlines() if ": rule " in line]
    assert written == [rule["id"] for rule in GOOD], run.stderr
