# SPDX-License-Identifier: MIT
"""Every decomposition of a lattice, several numbers of threads, overlapped or not: one checksum for each result.

Runs a test program (see tests/support/bits.hpp) alone with 1 to 4 threads and on 2, 4 and 8 ranks, compares the checksums
of all runs and prints the tables.  Sums in chunks have the bits of their decomposition: of those, runs with the same ranks
are compared.  Usage: decompositions.py program [mpiexec and its flags, the number of ranks last but in front of the program]
"""
import collections
import os
import subprocess
import sys

TITLES = {"bits": "The same bits on every decomposition", "threads": "The same bits on any number of threads"}


def lines_of(command, threads):
    """[kind, what, ranks, grid, schedule, checksum] of every line that the program prints for this script."""
    environment = dict(os.environ, KOV_BITS_TABLE="1", OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false")
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=500)
    lines = [line.split("; ") for line in run.stdout.splitlines() if line.startswith(("bits; ", "threads; "))]
    if run.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} failed\n{run.stdout}")
    return lines


def print_table(title, counts, checksums):
    """counts[what][column], checksums[what] = a list of sets of those that are to be one."""
    columns = list(dict.fromkeys(column for row in counts.values() for column in row))
    width = max(map(len, counts))
    print(f"{title}: results, ranks x threads, and the checksums they gave")
    print("|".join([" " * width, *(f" {column} " for column in columns), " checksums"]))
    for what, row in counts.items():
        cells = (f" {row[column]:>{len(column)}} " for column in columns)
        print("|".join([f"{what:{width}}", *cells, " " + "; ".join(", ".join(sorted(found)) for found in checksums[what])]))
    print()


def main():
    program, mpiexec = sys.argv[1], sys.argv[2:]
    runs = [([program], threads) for threads in (1, 2, 3, 4)]
    if mpiexec:
        runs += [(mpiexec + [str(ranks), program], 1) for ranks in (2, 4, 8)] + [(mpiexec + ["2", program], 2)]
    counts = {kind: collections.defaultdict(collections.Counter) for kind in TITLES}
    checksums = {kind: collections.defaultdict(dict) for kind in TITLES}
    for command, threads in runs:
        for kind, what, ranks, grid, schedule, checksum in lines_of(command, threads):
            counts[kind][what][f"{ranks} x {threads}"] += 1
            together = "all" if kind == "bits" else (ranks, grid)
            checksums[kind][what].setdefault(together, set()).add(checksum)
    differ = []
    for kind, title in TITLES.items():
        found = {what: list(sets.values()) for what, sets in checksums[kind].items()}
        if found:
            print_table(title, counts[kind], found)
        differ += [what for what, sets in found.items() if any(len(of_one) > 1 for of_one in sets)]
    return "different bits: " + "; ".join(differ) if differ else 0


if __name__ == "__main__":
    sys.exit(main())
