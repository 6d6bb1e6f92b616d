"""Many URLs at once: lists and Arrow arrays give what single URLs give."""

import threading
import time

import pyarrow as pa
import pytest
import undust

URLS = ["http://www.example.com/?sid=7&a=1", "http://elsewhere.org/", "", "http://example.com/ä?sid=1"]
KEYS = ["http://www.example.com/?a=1", "http://elsewhere.org/", "", "http://example.com/ä"]


@pytest.fixture
def canonicalizer(by_hand):
    return undust.Canonicalizer(by_hand)


def test_a_list_is_done_in_order(canonicalizer):
    assert canonicalizer.canonicalize_all(URLS) == [canonicalizer(url) for url in URLS]
    assert canonicalizer.canonicalize_all(url for url in URLS) == canonicalizer.canonicalize_all(tuple(URLS))
    assert canonicalizer.canonicalize_all([URLS[0].encode(), URLS[0]]) == [KEYS[0].encode(), KEYS[0]]
    assert canonicalizer.canonicalize_all([]) == []
    with pytest.raises(TypeError):
        canonicalizer.canonicalize_all([URLS[0], None])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(forum_rules, forum_urls, threads):
    canonicalizer = undust.Canonicalizer(forum_rules)
    expected = [canonicalizer(url) for url in forum_urls]
    assert canonicalizer.canonicalize_all(forum_urls, threads=threads) == expected
    assert canonicalizer.canonicalize_arrow(pa.array(forum_urls), threads=threads).to_pylist() == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_arrays_of_every_kind_of_text(canonicalizer, kind):
    array = pa.array([*URLS, None], kind)
    keys = canonicalizer.canonicalize_arrow(array)
    assert isinstance(keys, pa.Array) and keys.type == kind
    assert keys.to_pylist() == [*canonicalizer.canonicalize_all(URLS), None]
    chunked = pa.chunked_array([array, array[1:3], pa.array([], kind)])
    keys = canonicalizer.canonicalize_arrow(chunked)
    assert isinstance(keys, pa.ChunkedArray) and keys.type == kind
    expected = canonicalizer.canonicalize_all(URLS)
    assert keys.to_pylist() == [*expected, None, *expected[1:3]]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_arrays_of_bytes(canonicalizer, kind):
    array = pa.array([b"http://example.com/\xff?sid=1", None], kind)
    keys = canonicalizer.canonicalize_arrow(array)
    assert keys.type == kind and keys[1].as_py() is None
    assert keys[0].as_py() == canonicalizer(b"http://example.com/\xff?sid=1")


def test_text_that_is_not_utf8_harms_nobody(canonicalizer):
    # As Spark may send it: declared to be text, and never checked.
    bad = pa.array([b"http://example.com/\xff?sid=1", b"http://example.com/?sid=1"]).view(pa.string())
    keys = canonicalizer.canonicalize_arrow(bad)
    keys.validate(full=True)
    assert keys.to_pylist()[1] == "http://example.com/"


def test_what_knows_arrow_will_do(canonicalizer):
    class Foreign:
        """An array of another library."""

        def __arrow_c_array__(self, requested_schema=None):
            return pa.array(URLS).__arrow_c_array__(requested_schema)

    keys = canonicalizer.canonicalize_arrow(Foreign())
    assert pa.array(keys).to_pylist() == canonicalizer.canonicalize_all(URLS)
    with pytest.raises(TypeError, match="not Int64"):
        canonicalizer.canonicalize_arrow(pa.array([1, 2]))
    with pytest.raises(TypeError):
        canonicalizer.canonicalize_arrow(URLS)


def test_other_threads_go_on_meanwhile(forum_rules, forum_urls):
    array = pa.array(forum_urls * 60)
    canonicalizer = undust.Canonicalizer(forum_rules)
    done = threading.Event()
    work = threading.Thread(target=lambda: (canonicalizer.canonicalize_arrow(array), done.set()))
    work.start()
    turns = 0
    while not done.is_set():
        time.sleep(0.001)
        turns += 1
    work.join()
    # Were the lock held, this thread would have had no turn but the first and the last.
    assert turns > 3
