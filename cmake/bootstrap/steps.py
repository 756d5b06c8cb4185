# SPDX-License-Identifier: MIT
"""Steps that a user sees: one line each while they run, and on failure what failed, the log's end and the remedy."""
import contextlib
import fcntl
import os
import re
import shlex
import subprocess
import sys
import time

# Exit codes of bootstrap, as README.md lists them.
EXIT_STEP_FAILED = 1
EXIT_USAGE = 2
EXIT_PACKAGES_MISSING = 3
EXIT_DOWNLOAD = 4


class Failure(Exception):
    """A step that cannot go on: problem, remedy, and the end of a log where there is one."""

    def __init__(self, problem, remedy, code=EXIT_STEP_FAILED, log=None):
        super().__init__(problem)
        self.problem, self.remedy, self.code, self.log = problem, remedy, code, log

    def text(self):
        parts = []
        if self.log and os.path.exists(self.log):
            parts += ["", *("  | " + line for line in _tail(self.log)), ""]
        parts.append("bootstrap: FAILED: " + self.problem)
        if self.log:
            parts.append("  log:  " + self.log)
        parts.append("  next: " + self.remedy.replace("\n", "\n        "))
        return "\n".join(parts)


def _tail(path, lines=30):
    """The end of a log; where errors stand further up (parallel builds), the first of them too."""
    with open(path, errors="replace") as file:
        text = [line.rstrip() for line in file]
    end = text[-lines:]
    errors = [line for line in text[:-lines] if re.search(r"\berror\b|CMake Error", line, re.I)]
    return (errors[:8] + ["..."] if errors else []) + end


def say(text=""):
    print(text, flush=True)


def seconds(value):
    return "%d min %02d s" % divmod(round(value), 60) if value >= 99.5 else "%.1f s" % value


class Step:
    """`with Step("Kokkos 4.7.00") as step: ...` prints the title, how far it is, and the time it took."""

    def __init__(self, title):
        self.title, self.note, self.begin = title, "", time.monotonic()
        self.live = sys.stdout.isatty()
        self._last = self.begin

    def __enter__(self):
        if self.live:
            print("\r* %s ..." % self.title, end="", flush=True)
        return self

    def progress(self, text):
        """Overwrites one line on a terminal; elsewhere prints one line every ten seconds."""
        now = time.monotonic()
        if self.live:
            if now - self._last > 0.1:
                self._last = now
                print("\r* %s: %s\033[K" % (self.title, text[:90]), end="", flush=True)
        elif now - self._last > 10:
            self._last = now
            say("* %s: %s (%s)" % (self.title, text[:90], seconds(now - self.begin)))

    def __exit__(self, kind, value, trace):
        state = "failed" if kind else (self.note or "done")
        lead = "\r\033[K" if self.live else ""
        say("%s* %s: %s (%s)" % (lead, self.title, state, seconds(time.monotonic() - self.begin)))
        return False


def quote(command):
    return " ".join(shlex.quote(str(part)) for part in command)


def capture(command, **options):
    """Standard output of a command that may be absent or fail; empty then."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True,
                              **options).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def execute(step, command, log, remedy, problem=None, environment=None, cwd=None, code=EXIT_STEP_FAILED):
    """Runs a command with its output in a log and its last line as progress; raises Failure when it fails."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "a") as file:
        file.write("$ %s\n" % quote(command))
        file.flush()
        try:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True, errors="replace", cwd=cwd,
                                       env={**os.environ, **(environment or {})})
        except OSError as error:
            raise Failure("%s: cannot run %s: %s" % (step.title, command[0], error.strerror), remedy, code) from error
        try:
            with process.stdout:
                for line in process.stdout:
                    file.write(line)
                    if line.strip():
                        step.progress(line.strip())
            status = process.wait()
        except BaseException:  # interrupted: leave no compiler behind
            process.terminate()
            process.wait()
            raise
    if status:
        raise Failure(problem or "%s: %s ended with code %d" % (step.title, os.path.basename(str(command[0])), status),
                      remedy, code, log)


def launch_environment():
    """What every program of ours runs with, unless the user set it: unbound OpenMP threads are 60-100x slow on a busy
    machine, and threads that spin for long while they wait hold processors from the others."""
    wanted = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
    if "OMP_WAIT_POLICY" not in os.environ:
        wanted["GOMP_SPINCOUNT"] = "10000"
    return {name: os.environ.get(name, value) for name, value in wanted.items()}


@contextlib.contextmanager
def locked(path, what):
    """One bootstrap at a time may build `what`; the others wait and then find it done."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("* waiting for another bootstrap that works on %s ..." % what)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
