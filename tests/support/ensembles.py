# SPDX-License-Identifier: MIT
"""Made-up ensembles of correlators in HDF5 files, the content of such files, and errors of what is computed from means."""
import json
import math
import re
import subprocess

_WRITE = """
import h5py, json, sys
with h5py.File(sys.argv[1], "w") as file:
    for path, values in json.load(sys.stdin).items():
        file[path] = values
"""
_READ = """
import h5py, json, sys
def plain(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    return [plain(v) for v in value] if isinstance(value, list) else value.decode() if isinstance(value, bytes) else value
found = {}
def add(name, item):
    found[name] = {"attributes": {key: plain(value) for key, value in item.attrs.items()}}
    if isinstance(item, h5py.Dataset):
        found[name]["values"] = plain(item[()])
with h5py.File(sys.argv[1], "r") as file:
    add("", file)
    file.visititems(add)
print(json.dumps(found))
"""


def write_hdf5(python, path, datasets):
    """{path in the file: lists of numbers}.  python: one with h5py."""
    subprocess.run([python, "-c", _WRITE, path], input=json.dumps(datasets), text=True, check=True)


def read_hdf5(python, path):
    """{path in the file: {"attributes": {...}, "values": of a dataset}}; the root is called ""."""
    return json.loads(subprocess.run([python, "-c", _READ, path], stdout=subprocess.PIPE, check=True).stdout)


def mean_of(rows):
    """Of every column."""
    return [sum(column) / len(rows) for column in zip(*rows)]


def jackknife(rows, function):
    """[(mean, error)] of the numbers that a function makes of mean rows."""
    n, sums = len(rows), [sum(column) for column in zip(*rows)]
    replicas = [function([(total - x) / (n - 1) for total, x in zip(sums, row)]) for row in rows]
    return [(mean, math.sqrt((n - 1) / n * sum((x - sum(column) / n)**2 for x in column)))
            for mean, column in zip(function(mean_of(rows)), zip(*replicas))]


def root(function, low, high):
    """Of a function that changes its sign once between these."""
    sign = function(low) > 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


def correlator(form, energy, n_times):
    """Of a state, at all times: form is cosh, sinh or exp."""
    sign = {"cosh": 1, "sinh": -1, "exp": 0}[form]
    return [math.exp(-energy * t) + sign * math.exp(-energy * (n_times - t)) for t in range(n_times)]


def table(text, first, after=""):
    """The rows of a printed table as {column: text}: the first table behind a text whose header begins with this pattern."""
    lines = re.search(r"^ *%s .*?(?=\n\n|\Z)" % first, text[text.index(after):], re.M | re.S).group(0).rstrip("\n").split("\n")
    width = max(map(len, lines))
    lines = [line.ljust(width) for line in lines]
    blank = [all(line[k] == " " for line in lines) for k in range(width)]
    cuts = [0] + [k for k in range(2, width) if blank[k - 1] and blank[k - 2] and not blank[k]] + [width]
    rows = [[line[a:b].strip() for a, b in zip(cuts, cuts[1:])] for line in lines]
    return [dict(zip(rows[0], row)) for row in rows[1:]]
