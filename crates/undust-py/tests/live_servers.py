"""Real servers on loopback, with real software on them: Apache and nginx with their listings, DokuWiki.

Each is started in the foreground in a folder of its own, and stopped at the end. What is not installed is skipped by the tests (`make servers`).
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

APACHE = shutil.which("apache2") or shutil.which("httpd")
APACHE_MODULES = Path("/usr/lib/apache2/modules")
HAS_APACHE = APACHE is not None and APACHE_MODULES.exists()
NGINX = shutil.which("nginx")
PHP = shutil.which("php")
DOKUWIKI = Path("/usr/share/dokuwiki")
HAS_DOKUWIKI = PHP is not None and DOKUWIKI.exists()

SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru".split()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(command: list[object], port: int) -> Iterator[None]:
    """A server in the foreground, once it listens."""
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        else:
            raise RuntimeError(f"{command[0]} does not listen")
        yield
    finally:
        server.terminate()
        server.wait()


# Listings, negotiation and corrected spelling, as Debian's Apache has them switched on for documentation.
LISTING_MODULES = ("mpm_event", "authz_core", "dir", "autoindex", "mime", "negotiation", "speling", "alias", "rewrite")
LISTINGS = """
<Directory "{documents}">
  Options +Indexes +MultiViews
  Require all granted
</Directory>
IndexOptions FancyIndexing HTMLTable
DirectoryIndex index.html
AddType text/html .html
AddLanguage en .en
AddLanguage de .de
AddType text/plain .txt
CheckSpelling on
"""


@contextmanager
def apache(folder: Path, documents: Path, extra: str = "") -> Iterator[int]:
    """Apache with mod_dir, mod_autoindex, MultiViews and mod_speling on; its port. `extra` is more of its configuration, in which `${PORT}` is the port."""
    port, config = free_port(), folder / "apache.conf"
    modules = "".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n" for name in LISTING_MODULES)
    # As root it serves as a user who may read only what all may.
    user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
    if user:
        modules += f"<IfFile {APACHE_MODULES}/mod_unixd.so>\nLoadModule unixd_module {APACHE_MODULES}/mod_unixd.so\n</IfFile>\n"
    places = f'ServerRoot "{folder}"\nDocumentRoot "{documents}"\nPidFile "{folder}/pid"\nErrorLog "{folder}/error.log"\n'
    head = f"{modules}{user}{places}TypesConfig /dev/null\nDefine PORT {port}\nServerName localhost\nListen 127.0.0.1:{port}\n"
    config.write_text(head + LISTINGS.format(documents=documents) + extra)
    _let_others_read(documents)
    with running([APACHE, "-f", config, "-DFOREGROUND"], port):
        yield port


@contextmanager
def nginx(folder: Path, documents: Path, http: str = "", server: str = "") -> Iterator[int]:
    """nginx with listings and its own redirects of folders; its port. `http` and `server` are more of its configuration, in these blocks."""
    port, config = free_port(), folder / "nginx.conf"
    user = "user www-data;" if os.geteuid() == 0 else ""
    places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    head = f"{user} daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
    listing = f'listen 127.0.0.1:{port}; root "{documents}"; index index.html; autoindex on;'
    config.write_text(f"{head}http {{ access_log off; {places}\n{http}\nserver {{ {listing}\n{server}\n}} }}\n")
    _let_others_read(documents)
    with running([NGINX, "-p", folder, "-c", config], port):
        yield port


def _let_others_read(folder: Path) -> None:
    """Folders of tests are for their owner alone; a server that gives up root must reach its documents."""
    for path in (folder, *folder.parents):
        state = path.stat()
        if state.st_uid == os.geteuid() and not state.st_mode & 0o001:
            path.chmod(state.st_mode | 0o055)


def write_documents(folder: Path, seed: int = 7, folders: int = 40) -> Path:
    """A tree of folders and files with other names, sizes and days each, so that every way to sort a listing shows another order. Some folders
    have an index; some files have a second language; some names need escapes or differ from others in their capitals."""
    rng = random.Random(seed)
    places = [folder]
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(folders):
        place = rng.choice(places) / _word(rng)
        place.mkdir(exist_ok=True)
        places.append(place)
        for _ in range(rng.randint(4, 12)):
            _write(place / f"{_word(rng)}.{rng.choice(['txt', 'txt', 'html', 'pdf'])}", rng)
    for place in places[1::7]:
        _write(place / "index.html", rng)
    for place in places[2::5]:
        for language in ("en", "de"):
            _write(place / f"guide.html.{language}", rng)
        _write(place / "What is this?.txt", rng)
        _write(place / "100% & more; again.txt", rng)
        _write(place / "README.Debian.html", rng)
    return folder


def _write(path: Path, rng: random.Random) -> None:
    title = f"{path.stem} {_word(rng)}"
    text = text_of(rng, rng.randint(40, 400))
    path.write_text(f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}" if "html" in path.name else f"{title}\n\n{text}\n")
    day = rng.randint(1_000_000_000, 1_700_000_000)
    os.utime(path, (day, day))


def text_of(rng: random.Random, words: int) -> str:
    """A text that is like no other."""
    return " ".join(_word(rng) for _ in range(words))


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4)))


@contextmanager
def dokuwiki(folder: Path, pages: int = 60, seed: int = 7) -> Iterator[int]:
    """DokuWiki, by PHP's own server, with pages in namespaces that link to each other and have old revisions; its port."""
    conf, data = folder / "conf", folder / "data"
    shutil.copytree("/etc/dokuwiki", conf, symlinks=False, ignore=shutil.ignore_patterns("apache.conf", "lighttpd.conf", "farm"))
    for name in ("attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "pages", "tmp"):
        (data / name).mkdir(parents=True)
    settings = {"title": "Wiki", "savedir": str(data), "useacl": 0, "allowdebug": 0}
    lines = "".join(f"$conf['{name}'] = {value!r};\n" for name, value in settings.items())
    (conf / "local.php").write_text(f"<?php\n{lines}")
    (folder / "before.php").write_text(f"<?php define('DOKU_CONF', '{conf}/'); define('DOKU_MAIN_CONF', '{conf}/');\n")
    _write_wiki(data, pages, seed)
    port = free_port()
    command = [PHP, "-d", f"auto_prepend_file={folder}/before.php", "-S", f"127.0.0.1:{port}", "-t", DOKUWIKI]
    with running(command, port):
        yield port


def _write_wiki(data: Path, pages: int, seed: int) -> None:
    rng = random.Random(seed)
    # In their order: that of a set is another one in each process.
    namespaces = ["", *dict.fromkeys(_word(rng) for _ in range(6))]
    namespaces += [f"{parent}:{_word(rng)}" for parent in namespaces[1:4]]
    names = ["start"] + [f"{rng.choice(namespaces)}:{_word(rng)}".lstrip(":") for _ in range(pages)]
    for name in names:
        links = "".join(f"  * [[:{other}]]\n" for other in rng.sample(names, min(6, len(names))))
        text = "\n\n".join(f"===== {_word(rng).title()} =====\n\n{text_of(rng, 90)}." for _ in range(3))
        _write_page(data, name, f"====== {name.rsplit(':', 1)[-1].title()} ======\n\n{text}\n\n{links}", rng)


def _write_page(data: Path, name: str, text: str, rng: random.Random) -> None:
    """A page with what DokuWiki knows of its past: its state of now, and for one in four an older one."""
    path = Path(name.replace(":", "/"))
    now = rng.randint(1_600_000_000, 1_700_000_000)
    revisions = [(now, "E", text)]
    if rng.random() < 0.25:
        revisions.insert(0, (now - rng.randint(100_000, 900_000), "C", re.sub(r"\w+\.", "once.", text, count=1)))
    for folder in ("pages", "attic", "meta"):
        (data / folder / path).parent.mkdir(parents=True, exist_ok=True)
    for when, _, words in revisions[:-1]:
        (data / "attic" / f"{path}.{when}.txt").write_text(words)
    page = data / "pages" / f"{path}.txt"
    page.write_text(text)
    os.utime(page, (now, now))
    changes = "".join(f"{when}\t127.0.0.1\t{kind}\t{name}\t\tedited\t\t{len(words)}\n" for when, kind, words in revisions)
    (data / "meta" / f"{path}.changes").write_text(changes)
