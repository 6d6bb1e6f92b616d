"""Exports, run by the tools they are for: what these make of URLs is what `undust apply` makes of them.

The command is taken from UNDUST_BIN, or from the PATH. Tools that are not installed are skipped.
"""

import http.client
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from live_servers import APACHE, APACHE_MODULES, HAS_APACHE, NGINX, free_port, nginx, running

UNDUST = os.environ.get("UNDUST_BIN") or shutil.which("undust")
if UNDUST is None:
    pytest.skip("there is no undust command", allow_module_level=True)


def drop(name, host="{...}", path="{...}"):
    """A rule that drops a parameter."""
    url = f"{{s}}://{host}/{path}?"
    return {"id": f"drop-{name}", "match": f"{url}{name}={{?}}&{{...}}", "rewrite": f"{url}{{...}}"}


EVERY_SITE = {"site": "*", "rules": [drop("utm_source"), drop("utm_medium")]}
PARAMETERS = {
    "undust": 1,
    "sites": [
        EVERY_SITE,
        {"site": "nytimes.com", "rules": [drop("smid")]},
        {
            "site": "example.com",
            "rules": [
                drop("sid"),
                drop("sort", "www.example.com", "list"),
                drop("ref", "www.example.com", "a/{...}"),
                {
                    "id": "keep-id",
                    "match": "{s}://www.example.com/item?id={id}&{...}",
                    "rewrite": "{s}://www.example.com/item?id={id}",
                },
                {
                    "id": "no-query",
                    "match": "{s}://www.example.com/about?{...}",
                    "rewrite": "{s}://www.example.com/about",
                },
            ],
        },
        {"site": "shop.org", "rules": [drop("page", "shop.org", "index.php")]},
        {"site": "intranet", "rules": [drop("sid", "intranet:8080"), drop("sort", "intranet:8080", "a/{...}")]},
        {"site": "ports.org", "rules": [drop("sid", "{...}.ports.org:8080")]},
    ],
}
EXPRESSIONS = {
    "undust": 1,
    "sites": [
        EVERY_SITE,
        {
            "site": "example.com",
            "rules": [
                drop("sid"),
                {
                    "id": "print",
                    "match": "http://www.example.com/print/{id:digits}",
                    "rewrite": "http://www.example.com/item?id={id}",
                },
                {"id": "money", "match": "http://www.example.com/p/{x}", "rewrite": "http://www.example.com/$1/{x}"},
                {"id": "index", "replace": "/index.html$", "with": "/$"},
                {"id": "word", "replace": "old", "with": "new"},
            ],
        },
    ],
}

HOSTS = [
    "example.com", "www.example.com", "www.www.example.com", "m.example.com", "notexample.com", "www.nytimes.com",
    "shop.org", "www.shop.org", "www1355544.com", "elsewhere.net",
]
# Rules for every site are for usual ports, and tools know no such thing: only where no such rule has anything to say.
PORTS = [
    f"http://{host}{path}?{query}"
    for host in ("intranet", "intranet:8080", "intranet:8081", "ports.org:8080", "www.ports.org:8080", "www.ports.org")
    for path in ("/", "/a", "/a/b")
    for query in ("sid=1", "q=1&sid=2", "sort=up&q=1", "sid2=1")
]
PATHS = [
    "/", "/list", "/list/", "/lists", "/a", "/a/b/c", "/ab", "/item", "/about", "/index.php", "/index.html", "/x/index.html",
    "/print/17", "/print/x", "/p/7", "/old/bold/old-old",
]
QUERIES = [
    "", "?sid=1", "?q=1&sid=2", "?sid=1&q=2&utm_source=3", "?utm_source=x&smid=tw", "?sort=up&page=2&ref=me", "?id=7&x=1&y=2",
    "?x=1", "?section=article&parid=175&sid=9", "?q=%C3%A9&sid=1", "?SID=1&q=2", "?sid2=1&xsid=3", "?id=7&utm_medium=mail",
]
URLS = [f"{scheme}://{host}{path}{query}" for scheme in ("http", "https") for host in HOSTS for path in PATHS for query in QUERIES] + PORTS


@pytest.fixture
def rules(tmp_path):
    """Write rules to a file."""

    def write(content):
        path = tmp_path / "rules.json"
        path.write_text(json.dumps(content))
        return path

    return write


def export(rules_file, to):
    run = subprocess.run([UNDUST, "export", "-r", rules_file, "--to", to], check=True, capture_output=True, text=True)
    return run.stdout, run.stderr


def apply(rules_file, urls):
    command = [UNDUST, "apply", "-r", rules_file, "--form", "url"]
    run = subprocess.run(command, check=True, capture_output=True, text=True, input="".join(f"{url}\n" for url in urls))
    return run.stdout.splitlines()


def differences(urls, ours, theirs):
    """At most ten of the URLs of which they say something else than we."""
    assert len(urls) == len(ours) == len(theirs)
    return [row for row in zip(urls, ours, theirs) if row[1] != row[2]][:10]


def test_duplicate_url_discarder(rules, tmp_path):
    canonicalizer = pytest.importorskip("duplicate_url_discarder.url_canonicalizer")
    rules_file = rules(PARAMETERS)
    text, talk = export(rules_file, "duplicate-url-discarder")
    assert "left out" not in talk
    path = tmp_path / "dud.json"
    path.write_text(text)
    theirs = canonicalizer.UrlCanonicalizer([path])
    assert differences(URLS, apply(rules_file, URLS), [theirs.process_url(url) for url in URLS]) == []


def test_duplicate_url_discarder_and_back(rules, tmp_path):
    """Their own rules, imported: what we make of URLs is what they make of them, but for their known faults."""
    canonicalizer = pytest.importorskip("duplicate_url_discarder.url_canonicalizer")
    theirs_rules = pytest.importorskip("duplicate_url_discarder_rules")
    paths = [Path(path) for path in theirs_rules.RULE_PATHS if "queryRemoval" in str(path)]
    paths = [path for path in paths if "Except" not in str(path) and path.name != "utm.json"]
    text = json.dumps([rule for path in paths for rule in json.loads(path.read_text())])
    (tmp_path / "dud.json").write_text(text)
    command = [UNDUST, "import", tmp_path / "dud.json", "--from", "duplicate-url-discarder", "-o", tmp_path / "imported.json"]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run([UNDUST, "check", tmp_path / "imported.json"], check=True, capture_output=True)
    names = sorted({(host, name) for rule in json.loads(text) for host in rule["urlPattern"]["include"] for name in rule["args"]})
    urls = [f"https://www.{host}/x?{name}=1&kept=2" for host, name in names if "/" not in host]
    assert len(urls) > 500
    theirs = canonicalizer.UrlCanonicalizer(paths)
    ours = apply(tmp_path / "imported.json", urls)
    assert differences(urls, ours, [theirs.process_url(url) for url in urls]) == []


def test_removeparam(rules):
    adblock = pytest.importorskip("adblock")
    rules_file = rules({**PARAMETERS, "sites": [site for site in PARAMETERS["sites"] if site["site"] != "example.com"]})
    text, talk = export(rules_file, "removeparam")
    assert "left out" not in talk
    filters = adblock.FilterSet()
    filters.add_filters(text.splitlines())
    engine = adblock.Engine(filters)
    result = engine.check_network_urls("https://www.nytimes.com/?smid=1", "https://www.nytimes.com/", "document")
    if not hasattr(result, "rewritten_url"):
        pytest.skip("this adblock does not say what it makes of a URL")
    urls = [url for url in URLS if "SID" not in url]
    theirs = [engine.check_network_urls(url, url, "document").rewritten_url or url for url in urls]
    assert differences(urls, apply(rules_file, urls), theirs) == []


NORMALIZER = """
import java.nio.file.*; import java.util.*; import java.util.regex.*; import javax.xml.parsers.*; import org.w3c.dom.*;
public class Normalize {
  static String text(Element e, String name) {
    Node node = e.getElementsByTagName(name).item(0).getFirstChild();
    return node == null ? "" : ((Text) node).getData();
  }
  public static void main(String[] args) throws Exception {
    Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(args[0]);
    NodeList list = d.getElementsByTagName("regex");
    List<Pattern> patterns = new ArrayList<>(); List<String> replacements = new ArrayList<>();
    for (int i = 0; i < list.getLength(); i++) {
      patterns.add(Pattern.compile(text((Element) list.item(i), "pattern")));
      replacements.add(text((Element) list.item(i), "substitution"));
    }
    for (String url : Files.readAllLines(Path.of(args[1]))) {
      String before;
      do {
        before = url;
        for (int i = 0; i < patterns.size(); i++) url = patterns.get(i).matcher(url).replaceAll(replacements.get(i));
      } while (!url.equals(before));
      System.out.println(url);
    }
  }
}
"""


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")
def test_nutch(rules, tmp_path):
    """As Nutch's RegexURLNormalizer does it: java.util.regex, every expression in order, run until nothing changes."""
    rules_file = rules(EXPRESSIONS)
    text, talk = export(rules_file, "nutch")
    assert "left out" not in talk
    (tmp_path / "regex-normalize.xml").write_text(text)
    (tmp_path / "urls").write_text("".join(f"{url}\n" for url in URLS))
    (tmp_path / "Normalize.java").write_text(NORMALIZER)
    command = ["java", "Normalize.java", "regex-normalize.xml", "urls"]
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert differences(URLS, apply(rules_file, URLS), run.stdout.splitlines()) == []


def redirected(port, url):
    """Where a browser that asks for `url` ends up."""
    for _ in range(20):
        _, _, host, rest = url.split("/", 3)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.putrequest("GET", f"/{rest}", skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        location = answer.getheader("Location")
        connection.close()
        if answer.status != 301:
            return url
        url = location
    return f"{url}: redirected for ever"


def without(*names):
    """The rules without those of these names."""
    rules_of = lambda site: [rule for rule in site["rules"] if rule["id"] not in names]
    return {**EXPRESSIONS, "sites": [{**site, "rules": rules_of(site)} for site in EXPRESSIONS["sites"]]}


# A server knows the scheme that it speaks.
ASKED = [url for url in URLS if url.startswith("http:")]


@pytest.mark.skipif(not HAS_APACHE, reason="there is no Apache")
def test_apache(rules, tmp_path):
    rules_file = rules(without("word"))
    text, talk = export(rules_file, "apache")
    assert "left out" not in talk
    port, config = free_port(), tmp_path / "apache.conf"
    modules = "".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so\n" for name in ("mpm_event", "authz_core", "rewrite"))
    places = f'ServerRoot "{tmp_path}"\nDocumentRoot "{tmp_path}"\nPidFile "{tmp_path}/pid"\nErrorLog "{tmp_path}/log"\n'
    config.write_text(f"{modules}{places}ServerName localhost\nListen 127.0.0.1:{port}\n{text}")
    with running([APACHE, "-f", config, "-DFOREGROUND"], port):
        theirs = [redirected(port, url) for url in ASKED]
    assert differences(ASKED, apply(rules_file, ASKED), theirs) == []


@pytest.mark.skipif(NGINX is None, reason="there is no nginx")
def test_nginx(rules, tmp_path):
    # It has no way to say a dollar.
    rules_file = rules(without("word", "money"))
    text, talk = export(rules_file, "nginx")
    assert "left out" not in talk
    redirect = "if ($undust_canonical) { return 301 $undust_canonical; } return 204;"
    with nginx(tmp_path, tmp_path, text, redirect) as port:
        theirs = [redirected(port, url) for url in ASKED]
    assert differences(ASKED, apply(rules_file, ASKED), theirs) == []
