# SPDX-License-Identifier: MIT
"""A Python that has certain modules: the system's often has h5py when the one that runs the tests has not.

`python_with.py MODULE ARGUMENT...` runs such a one with these arguments, or this one where none has the module.
"""
import functools
import os
import shutil
import subprocess
import sys


@functools.lru_cache(None)
def python_with(*modules):
    """An interpreter that has them, or None."""
    for python in (sys.executable, "/usr/bin/python3", "python3"):
        if shutil.which(python) and subprocess.run([python, "-c", "import " + ", ".join(modules)],
                                                   stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


if __name__ == "__main__":
    python = python_with(sys.argv[1]) or sys.executable
    os.execv(python, [python, *sys.argv[2:]])
