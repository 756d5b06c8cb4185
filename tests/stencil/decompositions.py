# SPDX-License-Identifier: MIT
"""Every decomposition of a lattice, one and two threads, overlapped or not: one checksum for each operator.

Runs test_decompositions alone with 1 and 2 threads and on 2, 4 and 8 ranks, compares the checksums of all runs and prints
the table.  Usage: decompositions.py program [mpiexec and its flags, the number of ranks last but in front of the program]
"""
import collections
import os
import subprocess
import sys


def lines_of(command, threads):
    environment = dict(os.environ, KOV_BITS_TABLE="1", OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false")
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=500)
    lines = [line.split("; ")[1:] for line in run.stdout.splitlines() if line.startswith("bits; ")]
    if run.returncode != 0 or not lines:
        sys.exit(f"{' '.join(command)} failed\n{run.stdout}")
    return lines


def main():
    program, mpiexec = sys.argv[1], sys.argv[2:]
    runs = [([program], 1), ([program], 2)]
    if mpiexec:
        runs += [(mpiexec + [str(ranks), program], 1) for ranks in (2, 4, 8)] + [(mpiexec + ["2", program], 2)]
    checksums = collections.defaultdict(set)
    counts = collections.defaultdict(collections.Counter)
    columns = []
    for command, threads in runs:
        for what, ranks, grid, schedule, checksum in lines_of(command, threads):
            column = f"{ranks} rank{'s' if ranks != '1' else ''} x {threads}"
            columns += [column] * (column not in columns)
            checksums[what].add(checksum)
            counts[what][column] += 1
    width = max(map(len, checksums))
    differ = [what for what, found in checksums.items() if len(found) > 1]
    print("Decompositions times schedules, ranks x threads, and the checksums they gave:")
    print("|".join([" " * width, *(f" {column} " for column in columns), " checksum"]))
    for what, found in checksums.items():
        cells = (f" {counts[what][column]:>{len(column)}} " for column in columns)
        print("|".join([f"{what:{width}}", *cells, " " + ", ".join(sorted(found))]))
    return "different bits: " + "; ".join(differ) if differ else 0


if __name__ == "__main__":
    sys.exit(main())
