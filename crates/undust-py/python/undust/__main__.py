"""The `undust` command."""

import signal
import sys

from undust import _undust


def main() -> int:
    """Run the command with the arguments of this process; returns its exit code."""
    # Python would only take note of Ctrl-C, and look at it when the command is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _undust.main(["undust", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
