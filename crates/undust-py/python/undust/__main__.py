"""`python -m undust`: the command `undust`, which comes with the package."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def find_command() -> Path:
    """The program `undust` that was installed with this package."""
    name = "undust" + (sysconfig.get_config_var("EXE") or "")
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    # `pip install --user` and `pip install --target`.
    folders += [Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))), Path(__file__).parents[1] / "bin"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = ", ".join(map(str, dict.fromkeys(folders)))
    raise FileNotFoundError(f"the command {name} is in none of {looked}: install the wheel of undust again")


def main() -> int:
    """Run the command with the arguments of this process; returns its exit code."""
    try:
        command = find_command()
    except FileNotFoundError as error:
        print(f"undust: {error}", file=sys.stderr)
        return 2
    if sys.platform == "win32":
        return subprocess.run([command, *sys.argv[1:]]).returncode
    os.execv(command, ["undust", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
