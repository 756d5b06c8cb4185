# SPDX-License-Identifier: MIT
"""Compares two folders of run_programs.py: of two builds (CPU and GPU), two versions, two numbers of threads or ranks.

Usage: compare_results.py FOLDER_A FOLDER_B [--text-only] [--worst]

Every number in .txt, .dat, .out and .h5 files belongs to a quantity: a column of a table, a dataset, what stands before it in
a line.  For each quantity the worst absolute and relative difference are printed with the tolerance they are held against;
relative means over the scale of the number, see Scales.  Whole numbers that agree are not listed.  The exit code is 1 when
a difference is outside its tolerance, a text differs, or a file or number is in one folder only.  --worst prints the worst quantity of each file alone.  HDF5 files
are read with h5py; without it they are an error, or with --text-only left aside, which is said.

Scales.  A number in a column of a table, or in a dataset, is compared with the largest of the column or dataset: roundings of
sums are as large as the terms that cancel in them.  A correlator is compared, time by time, with the largest correlator of
its kind (meson, baryon, loop) at that time: the roundings of all go like |S|^2 and |S|^3 of the same propagator, or like S.  A
three-point function is compared with the largest of its current and hadron at that time, a propagator or a matrix of
distillation with the largest number on its time slice.  Eigenvectors are compared as they are: a convention fixes their phases,
and no eigenvalues are degenerate.  Other numbers are compared with themselves.
"""
import argparse
import collections
import math
import os
import re
import sys

TEXTS, HDF5 = (".txt", ".dat", ".out"), (".h5",)

# (quantity, relative, absolute, why): the first whose pattern is found in "file: quantity" holds.  A difference is within
# its tolerance when it is below either.  Where every link of the input is changed by one unit in its last place, double
# results change by 2e-14 or less, theta by 2e-11 and mixed-precision correlators by 7e-14.
TOLERANCES = [(re.compile(pattern), relative, absolute, why) for pattern, relative, absolute, why in (
    (r"(hot|nersc|ildg).*unitarity", 0, 1e-6, "a rounding of 32 bits itself"),
    (r"unitarity|deviation", 0, 1e-13, "a rounding of 64 bits itself"),
    (r"^made|^generate|^(info|convert)_made", 1e-6, 1e-9,
     "links of a chain: every sweep of overrelaxation multiplies roundings by three, 1e-10 after three updates, 1e-8 after four"),
    (r": solves/iterations$|: solve .* iterations$", 0.01, 2, "where a solver stops, the last bits decide"),
    (r"residual", 0, 1e-11, "what a solver leaves: roundings below its tolerance"),
    (r"hot|nersc|ildg", 2e-7, 0, "links rounded to 32 bits: where roundings differ before, a last digit differs after"),
    (r"(?i)theta", 1e-8, 1e-16, "the square of what is left of a divergence, down to 1e-11 of its first value"),
    (r"^analyze.*\.txt: ", 0.1, 1e-12, "two digits of an error at least: the HDF5 file has all of them"),
    (r"^analyze.*: (energy|dispersion)/", 1e-5, 1e-13, "a fit ends when a step changes chi^2 by 1e-14 of it: at 1e-7 of an error"),
    (r"^analyze", 1e-7, 1e-13, "errors are differences of replicas, whose correlators come from solves that stop at 1e-12"),
    (r"spectrum_mixed", 1e-9, 0, "the solver stops at 1e-11, after another history"),
    (r"spectrum_double|spectrum_currents", 1e-10, 0, "the solver stops at 1e-12, after another history"),
    (r"^propagator|^distill", 1e-10, 0, "solvers and eigenvectors stop at 1e-12, after another history"),
    (r"interpolation error|t0|w0|W\(t\)|V\(r,t\)|Q$", 1e-10, 1e-13, "differences, derivatives and logarithms of such numbers"),
    (r"", 1e-11, 1e-14, "roundings of double after some hundred operations or iterations; text has 12 digits"),
)]

# Lines of text, and attributes, that say where a result is from and not what it is.
PROVENANCE = [(re.compile(pattern), why) for pattern, why in (
    (r"^# version |^version$|^revision$", "the version"),
    (r"^# (GNU|Clang|NVIDIA|Intel|Apple)|^build$|^hdf5$", "compiler and libraries"),
    (r"^suma|^sumb|checksum|^links |CHECKSUM|^job$", "checksums of bits, which one rounding changes, and what is made of them"),
    (r"^date$", "the time"),
    (r"^wrote |^pictures are SVG only", "which formats a build writes"),
    (r"^processes|^kovariant |seconds|^user_block", "machine and time"),
)]
# The checksums at the end of lines of `generate`.
BITS = re.compile(r", links [0-9a-f]{8} [0-9a-f]{8}")

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)")
WORD = re.compile(rf"(?<![\w.])({NUMBER.pattern})(?![\w])")

Number = collections.namedtuple("Number", "quantity scale value")

CORRELATORS = ("meson", "baryon", "loop", "three-point")
BY_SLICE = ("propagator/matrices", "matrices/numbers")  # datasets whose first index is t


def is_provenance(name):
    return any(pattern.search(name) for pattern, _ in PROVENANCE)


def scale_of(kind, which, t):
    """What correlators are compared with.  which: three-point functions of one current and hadron."""
    return (kind, which, t) if kind == "three-point" else (kind, t)


class Content:
    """What a file holds: numbers in order, and texts that must be the same."""

    def __init__(self):
        self.numbers, self.texts = [], []

    def add(self, quantity, scale, value):
        self.numbers.append(Number(quantity, scale, value))

    def add_line(self, line, quantity=None):
        """Numbers with themselves as scale; the rest is text."""
        line = BITS.sub("", line)
        # One space, as columns are as wide as their numbers, of which 1.50 is printed as 1.5.
        text = " ".join(WORD.sub("#", line).split())
        place = len(self.numbers)
        for k, word in enumerate(WORD.findall(line)):
            name = quantity or text.strip("# :=")[:60]
            self.add(name, ("itself", place, k), float(word))
        self.texts.append(text if quantity is None else f"{quantity} {text}")


def row_of(line):
    """The numbers of a table's row, None for a place without one; or no list at all."""
    words = line.split()
    if not words or not all(word == "-" or NUMBER.fullmatch(word) for word in words):
        return None
    return [None if word == "-" else float(word) for word in words]


def read_text(path):
    content, columns, comment, table, kind, channel, hadron = Content(), [], "", 0, None, None, ""
    with open(path) as file:
        for line in file.read().splitlines():
            row = row_of(line)
            if row is None:
                comment, columns = line, []
                if re.match(f"# ({'|'.join(CORRELATORS)}) ", line):
                    kind, channel = line.split()[1:3]
                    hadron = ""
                hadron = line if line.startswith("# hadron = ") else hadron
                if line.strip() and not is_provenance(line):
                    content.add_line(line)
                continue
            if not columns:
                table += 1
                columns = re.split(r"\s\s+", comment.strip("# ")) if comment.startswith("#") else []
                if len(columns) != len(row):
                    columns = comment.strip("# ").split()
                if len(columns) != len(row):
                    columns = [str(k) for k in range(len(row))]
            content.texts.append(" ".join("-" if value is None else "#" for value in row))
            for name, value in zip(columns, row):
                if value is not None and kind and name in ("real", "imag"):
                    content.add(f"{kind}/{channel}", scale_of(kind, (channel, hadron), row[0]), value)
                elif value is not None:
                    content.add(f"table {table}, {name}", (table, name), value)
    return content


def add_attribute(content, where, name, value):
    if is_provenance(name):
        return
    values = value.tolist() if hasattr(value, "tolist") else value
    for one in values if isinstance(values, list) else [values]:
        one = one.decode() if isinstance(one, bytes) else one
        if isinstance(one, str):
            if not is_provenance(one):
                content.add_line(one, f"{where}@{name}")
        elif isinstance(one, (int, float)):
            content.add(f"{where}@{name}", ("itself", len(content.numbers)), float(one))
        else:
            content.texts.append(f"{where}@{name} {type(one).__name__}")


def add_dataset(content, name, dataset):
    import numpy
    content.texts.append(f"{name} {dataset.shape}")
    columns = [c.decode() if isinstance(c, bytes) else str(c) for c in dataset.attrs.get("columns", [])]
    values = dataset[()]
    names = dataset.dtype.names
    if names:  # a table whose columns have types of their own
        for column in names:
            add_values(content, f"{name}, {column}", numpy.ravel(values[column]).tolist(), 1, [])
    else:
        n = dataset.shape[-1] if dataset.shape else 1
        slices = dataset.shape[0] if name in BY_SLICE else 1
        add_values(content, name, numpy.ravel(values).tolist(), n, columns, slices)


def add_values(content, name, values, n, columns, slices=1):
    """Rows of n values one after the other, in slices of a scale each."""
    parts = name.split("/")
    for k, value in enumerate(values):
        if isinstance(value, (bytes, str)):
            text = value.decode() if isinstance(value, bytes) else value
            if not is_provenance(text) and not is_provenance(name.split(", ")[-1]):
                content.add_line(text, name)
            continue
        if not isinstance(value, (int, float, complex)):
            continue  # references of dimension scales
        if parts[0] in CORRELATORS and len(parts) > 1:
            quantity, scale = "/".join(parts[:2]), scale_of(parts[0], name, k % n)
        elif len(columns) == n:
            quantity, scale = f"{name}, {columns[k % n]}", (name, k % n)
        else:
            quantity, scale = name, (name, k * slices // len(values))
        for part in (value.real, value.imag) if isinstance(value, complex) else (value,):
            content.add(quantity, scale, float(part))


def read_hdf5(path):
    import h5py
    content = Content()
    with h5py.File(path, "r") as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                add_dataset(content, name, item)
            for key, value in sorted(item.attrs.items()):
                if key not in ("columns", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "CLASS", "NAME"):
                    add_attribute(content, name, key, value)
        visit("", file)
        file.visititems(visit)
    return content


def read(path):
    return read_hdf5(path) if path.endswith(HDF5) else read_text(path)


class Worst:
    """Of one quantity."""

    def __init__(self, name):
        self.name, self.absolute, self.relative, self.outside = name, 0.0, 0.0, 0
        _, self.to_relative, self.to_absolute, self.why = next(t for t in TOLERANCES if t[0].search(name))

    def add(self, difference, scale):
        relative = difference / scale if scale > 0 else (0.0 if difference == 0 else math.inf)
        self.absolute, self.relative = max(self.absolute, difference), max(self.relative, relative)
        self.outside += not (difference <= self.to_absolute or relative <= self.to_relative)

    def line(self):
        verdict = "ok" if self.outside == 0 else f"OUTSIDE: {self.outside} numbers"
        return (f"{self.name:90} {self.absolute:9.1e} {self.relative:9.1e}   {self.to_relative:7.0e} or "
                f"{self.to_absolute:7.0e}   {verdict}")


def difference_of(a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return 0.0 if a == b or (math.isnan(a) and math.isnan(b)) else math.inf
    return abs(a - b)


def compare_files(name, a, b):
    """[Worst], [complaint] of two Contents."""
    complaints = [f"{name}: {x!r} became {y!r}" for x, y in zip(a.texts, b.texts) if x != y][:3]
    if len(a.texts) != len(b.texts):
        complaints.append(f"{name}: {len(a.texts)} lines or objects became {len(b.texts)}")
    if [n.quantity for n in a.numbers] != [n.quantity for n in b.numbers]:
        complaints.append(f"{name}: {len(a.numbers)} numbers became {len(b.numbers)}, or they are of other quantities")
        return [], complaints
    scales = collections.defaultdict(float)
    for n in a.numbers + b.numbers:
        if math.isfinite(n.value):
            scales[n.scale] = max(scales[n.scale], abs(n.value))
    worst = {}
    for x, y in zip(a.numbers, b.numbers):
        quantity = f"{name}: {x.quantity}"
        worst.setdefault(quantity, Worst(quantity)).add(difference_of(x.value, y.value), scales[x.scale])
    # Whole numbers that agree are labels and counts.
    counted = {f"{name}: {n.quantity}" for n in a.numbers + b.numbers if not n.value.is_integer()}
    return [w for w in worst.values() if w.outside or w.name in counted], complaints


def compare_folders(a, b, text_only=False):
    """[Worst] of all quantities, [complaint], and the names of files that were left aside."""
    # Pictures are not compared: which formats there are differs among builds.
    names = [{name for name in os.listdir(folder) if not name.endswith((".svg", ".pdf"))} for folder in (a, b)]
    complaints = [f"{name} is in one folder only" for name in sorted(names[0] ^ names[1])]
    worst, aside = [], []
    for name in sorted(names[0] & names[1]):
        if not name.endswith(TEXTS + HDF5):
            continue
        if name.endswith(HDF5) and text_only:
            aside.append(name)
            continue
        quantities, problems = compare_files(name, read(os.path.join(a, name)), read(os.path.join(b, name)))
        worst += quantities
        complaints += problems
    if not worst:
        complaints.append("there is not one number to compare")
    return worst, complaints, aside


def worst_of_each_file(worst):
    files = {}
    for w in worst:
        files.setdefault(w.name.split(": ")[0], []).append(w)
    return [max(of_one, key=lambda w: (w.outside > 0, w.relative)) for of_one in files.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--text-only", action="store_true", help="leave HDF5 files aside")
    parser.add_argument("--worst", action="store_true", help="the worst quantity of each file alone")
    options = parser.parse_args()
    if not options.text_only:
        try:
            import h5py  # noqa: F401
        except ImportError:
            sys.exit("h5py is not here, so HDF5 files cannot be compared: install it, or give --text-only")
    worst, complaints, aside = compare_folders(options.a, options.b, options.text_only)
    print(f"{'quantity':90} {'absolute':>9} {'relative':>9}   tolerance: relative or absolute")
    for w in worst_of_each_file(worst) if options.worst else worst:
        print(w.line())
    outside = [w for w in worst if w.outside]
    reasons = {w.why: f"{w.to_relative:g} or {w.to_absolute:g}" for w in worst}
    print("\ntolerances:", *(f"  {numbers}: {why}" for why, numbers in reasons.items()), sep="\n")
    if aside:
        print(f"\nleft aside: {len(aside)} HDF5 files")
    for text in complaints:
        print(text)
    print(f"\n{len(worst)} quantities, {len(outside)} outside their tolerance, {len(complaints)} other differences")
    return 1 if outside or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
