#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs fuzz targets: run.py BUILD [--executions N] [--jobs N] [--first N] [NAME...], for instance

    python3 tests/fuzz/run.py build/asan-ubsan --executions 10000000 --jobs 2

Input number i of a target is always the same, so a later run goes on with --first.  Ends with code 1 when one fails.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def run(program, executions, first):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false",
                       ASAN_OPTIONS="detect_leaks=0:protect_shadow_gap=0:abort_on_error=1:handle_segv=0",
                       UBSAN_OPTIONS="abort_on_error=1:print_stacktrace=1")
    done = subprocess.run([program, str(executions), str(first)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--executions", type=int, default=100000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    folder = options.build / "tests" / "fuzz"
    programs = sorted(p for p in folder.glob("fuzz_*") if p.is_file() and os.access(p, os.X_OK)
                      and (not options.names or p.name[len("fuzz_"):] in options.names))
    if not programs:
        sys.exit("no fuzz target in %s: build the target `fuzz` first" % folder)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for code, text in pool.map(lambda p: run(p.resolve(), options.executions, options.first), programs):
            print(text, flush=True)
            failed = failed or code != 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
