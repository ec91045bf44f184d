# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""pvpython several.py SCRIPT ARGUMENT... [-- ARGUMENT...]: SCRIPT with one list of arguments after the other, for ParaView takes seconds to start."""
import runpy
import sys

script, lists = sys.argv[1], [[]]
for argument in sys.argv[2:]:
    if argument == "--":
        lists.append([])
    else:
        lists[-1].append(argument)
for arguments in lists:
    print(*arguments, flush=True)
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")
