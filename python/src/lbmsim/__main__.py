# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""`python -m lbmsim ...` runs `lbmsim ...`, wherever it is installed."""

import os
import sys

from .binary import environment, program
from .errors import Error


def main() -> None:
    try:
        path = str(program())
    except Error as e:
        sys.exit(f"lbmsim: {e}")
    os.execve(path, [path, *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
