#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs fuzz targets: run.py BUILD [NAME...] [--executions N] [--jobs N] [--first N] [--report SECONDS], for instance

    python3 tests/fuzz/run.py build/asan-ubsan --executions 10000000 --jobs 2

The jobs share the inputs of a target.  Input number i of a target is always the same, so a later run goes on with
--first.  Ends with code 1 when one fails.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time

SUMMARY = re.compile(r": (\d+) executions, .* a second, (\d+) ended within HDF5, (\d+) failures$", re.M)


class Share:
    """What a job did of a target: executions, endings within the HDF5 library, failures."""

    def __init__(self, program, first, executions, report):
        environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false",
                           ASAN_OPTIONS="detect_leaks=0:protect_shadow_gap=0:abort_on_error=1:handle_segv=0:"
                                        "allocator_may_return_null=1:max_allocation_size_mb=4096",
                           UBSAN_OPTIONS="abort_on_error=1:print_stacktrace=1")
        self.start = time.monotonic()
        done = subprocess.run([program, str(executions), str(first), str(report)], env=environment, text=True,
                              stdout=subprocess.PIPE)
        self.end = time.monotonic()
        found = SUMMARY.search(done.stdout)
        self.counts = [int(n) for n in found.groups()] if found else [0, 0, 1]
        if not found:
            print("%s ended with code %d: %s" % (program.name, done.returncode, done.stdout), file=sys.stderr)


def shares(first, executions, jobs):
    """(first, executions) of each job."""
    cuts = [first + executions * i // jobs for i in range(jobs + 1)]
    return [(a, b - a) for a, b in zip(cuts, cuts[1:]) if b > a]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--executions", type=int, default=100000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", type=int, default=0, help="print how far each job is every so many seconds")
    options = parser.parse_intermixed_args()
    folder = options.build / "tests" / "fuzz"
    programs = sorted(p.resolve() for p in folder.glob("fuzz_*") if p.is_file() and os.access(p, os.X_OK)
                      and (not options.names or p.name[len("fuzz_"):] in options.names))
    if not programs:
        sys.exit("no fuzz target in %s: build the target `fuzz` first" % folder)
    all_failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [(p, [pool.submit(Share, p, first, n, options.report)
                      for first, n in shares(options.first, options.executions, options.jobs)]) for p in programs]
        for program, futures in tasks:
            done = [f.result() for f in futures]
            executions, in_library, failures = (sum(column) for column in zip(*(d.counts for d in done)))
            seconds = max(d.end for d in done) - min(d.start for d in done)
            print("%s: %d executions, %.0f a second, %d ended within HDF5, %d failures"
                  % (program.name, executions, executions / seconds, in_library, failures), flush=True)
            all_failures += failures
    sys.exit(all_failures > 0)


if __name__ == "__main__":
    main()
