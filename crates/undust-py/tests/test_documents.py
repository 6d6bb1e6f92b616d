"""The examples of the documentation are run; those of the README in a fresh environment with nothing but the wheel."""

import os
import re
import subprocess
import sys
import venv

import pytest
import undust
from conftest import ROOT


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def clone(tmp_path):
    """A folder like a fresh clone, as far as examples look at it."""
    (tmp_path / "testdata").symlink_to(ROOT / "testdata")
    return tmp_path


def run(python, program, folder):
    return subprocess.run([python, "-c", program], cwd=folder, capture_output=True, text=True)


def test_python_md(clone):
    examples = blocks("docs/python.md", "python")
    assert len(examples) >= 4
    done = run(sys.executable, "\n".join(examples), clone)
    assert done.returncode == 0, done.stderr
    assert "http://shop.example.com/item?id=4711\n" in done.stdout


def test_the_readme_in_a_fresh_environment(clone):
    wheel = os.environ.get("UNDUST_WHEEL")
    if not wheel:
        pytest.skip("UNDUST_WHEEL names no wheel")
    venv.create(clone / "fresh", with_pip=True)
    bin_folder = clone / "fresh/bin"
    subprocess.run([bin_folder / "pip", "install", "--quiet", "--no-deps", wheel], check=True)
    examples = blocks("README.md", "python")
    assert examples
    done = run(bin_folder / "python", "\n".join(examples), clone)
    assert done.returncode == 0, done.stderr
    shown = blocks("README.md", "text")
    assert shown and done.stdout == shown[0]
    version = subprocess.run([bin_folder / "undust", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout == f"undust {undust.__version__}\n"
