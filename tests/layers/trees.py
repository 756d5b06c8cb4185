# SPDX-License-Identifier: MIT
"""Small source trees for the tests of the checks."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def tree(files):
    """The name of a folder with these files, {path: text}, while it lasts."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as file:
                file.write(text)
        yield root
