# SPDX-License-Identifier: MIT
"""Runs commands that may be MPI launchers, which sometimes never end, or crash in the end.

Seen with Open MPI 4.1.4 and PMIx 4.2.2: after all ranks have ended, mpiexec waits in PMIx_server_finalize for a thread of
its own that waits for a mutex, some ranks as zombies beside it, or is ended by a segmentation fault there.  Nothing of
the code under test runs any more, and its exit code is lost.
"""
import os
import signal
import subprocess
import sys
import time

# Of ranks whose output nobody takes, the launcher fails one time in six, on a busy machine more often.
TIMES = 8
# Seconds that a process with no children must go on for; launchers start theirs within one.
ALONE = 10


def parent(pid):
    """None if the process has ended, whether its parent knows of that or not."""
    try:
        with open("/proc/%s/stat" % pid) as file:
            state, number = file.read().rpartition(")")[2].split()[:2]
        return None if state == "Z" else int(number)
    except OSError:
        return None


def children(pid):
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and parent(name) == pid]


def errors_said(stderr, *names):
    """The lines in which programs of these names say why they end, but for those of ranks that the launcher ends then."""
    return [line.strip() for line in stderr.splitlines()
            if line.startswith(tuple(name + ": " for name in names)) and "ended by a signal" not in line]


def run(command, *, timeout, launcher, **more):
    """As subprocess.run(), with the seconds it took.

    If a launcher crashes, or is left without ranks and then ended, the command is run again.
    """
    for _ in range(TIMES):
        begin, alone_since = time.monotonic(), None
        with subprocess.Popen(command, **more) as process:
            while True:
                try:
                    done = subprocess.CompletedProcess(command, None, *process.communicate(timeout=1))
                    done.returncode, done.seconds = process.returncode, time.monotonic() - begin
                    if not (launcher and done.returncode == -signal.SIGSEGV):
                        return done
                    print("The launcher crashed; run again:", *command, file=sys.stderr)
                    break
                except subprocess.TimeoutExpired as so_far:
                    now = time.monotonic()
                    if now - begin > timeout:
                        process.kill()
                        raise subprocess.TimeoutExpired(command, timeout, so_far.output, so_far.stderr) from None
                alone_since = None if children(process.pid) else alone_since or now
                if launcher and alone_since and now - alone_since > ALONE:
                    process.kill()
                    print("The launcher did not end when all ranks had; run again:", *command, file=sys.stderr)
                    break
    raise AssertionError("the launcher did not end, or crashed, %d times: %s" % (TIMES, command))
