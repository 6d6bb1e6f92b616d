"""Access logs as real servers write them.

The command is taken from UNDUST_BIN, or from the PATH. Servers that are not installed are skipped.
"""

import http.client
import os
import shutil
import subprocess

import pytest
from live_servers import HAS_APACHE, apache

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
