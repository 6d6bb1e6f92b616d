"""Access logs as real servers write them.

The command is taken from UNDUST_BIN, or from the PATH. Servers that are not installed are skipped.
"""

import http.client
import json
import os
import random
import shutil
import subprocess

import pytest
from live_servers import HAS_APACHE, apache, text_of

UNDUST = os.environ.get("UNDUST_BIN") or shutil.which("undust")
if UNDUST is None:
    pytest.skip("there is no undust command", allow_module_level=True)

# As Debian's apache2.conf has it, for the log of all hosts that have none of their own.
VHOST_COMBINED = """
LogFormat "%v:%p %h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" vhost_combined
ServerName doc.test:${PORT}
"""


@pytest.mark.skipif(not HAS_APACHE, reason="Apache is not installed")
def test_debians_log_names_its_hosts(tmp_path):
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.txt").write_text("a page\n")
    log = tmp_path / "other_vhosts_access.log"
    paths = ["/a.txt", "/a.txt?x=1%202", "/%7Enobody", "/"]
    with apache(tmp_path, documents, f'{VHOST_COMBINED}CustomLog "{log}" vhost_combined\n') as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for path in paths:
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()
    (tmp_path / "none.json").write_text('{"undust": 1, "sites": []}')
    command = [UNDUST, "apply", "-r", tmp_path / "none.json", log]
    urls = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert urls == [f"http://doc.test:{port}{path}" for path in ["/a.txt", "/a.txt?x=1%202", "/~nobody", "/"]]


@pytest.mark.skipif(not HAS_APACHE, reason="Apache is not installed")
def test_slashes_are_merged_behind_the_host_alone(tmp_path):
    """From a log: `//` is `/`. Tried out on the server, that holds, and no URL loses its host."""
    documents = tmp_path / "documents"
    pages = [f"folder{number % 5}/page{number}.html" for number in range(30)]
    rng = random.Random(7)
    for page in pages:
        (documents / page).parent.mkdir(parents=True, exist_ok=True)
        (documents / page).write_text(f"<title>{page}</title><p>{text_of(rng, 60)}")
    log = tmp_path / "access.log"
    names = VHOST_COMBINED.replace("doc.test", "127.0.0.1")
    with apache(tmp_path, documents, f'{names}CustomLog "{log}" vhost_combined\n') as port:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for page in pages:
            for path in (f"/{page}", f"/{page.replace('/', '//')}"):
                connection.request("GET", path)
                connection.getresponse().read()
        connection.close()
        rules = tmp_path / "rules.json"
        run("learn", log, "--method", "dustbuster", "-o", rules)
        run("validate", "--rules", rules, "--urls", log, "--allow-private", "--delay", "0", codes=(0, 1))
    learned = {(rule["replace"], rule["with"]): rule for rule in json.loads(rules.read_text())["sites"][0]["rules"]}
    merged = learned["//", "/"]["validation"]
    assert (merged["verdict"], merged["by"]) == ("valid", "fetching")
    assert {sample["with"] for sample in merged["samples"]} <= {f"http://127.0.0.1:{port}/{page}" for page in pages}
    run("check", rules)
    urls = run("apply", "-r", rules, "--form", "url", log).splitlines()
    # What came later are the requests of `validate`.
    assert urls[:60] == [f"http://127.0.0.1:{port}/{page}" for page in pages for _ in range(2)]


def run(*words, codes=(0,)):
    """What the command prints."""
    done = subprocess.run([UNDUST, *words], capture_output=True, text=True)
    assert done.returncode in codes, done.stderr
    return done.stdout
