# SPDX-License-Identifier: MIT
"""Source archives: pinned by SHA-256, fetched once into the cache, verified before use, unpacked safely."""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass

from .steps import EXIT_DOWNLOAD, Failure, Step, execute, quote


@dataclass(frozen=True)
class Archive:
    """A file that everybody gets the same: name, SHA-256, and where it comes from (a URL, or a Python package)."""
    file: str
    sha256: str
    url: str = ""
    package: str = ""  # "name==version": the source distribution, fetched by pip


# The source distribution of Sandia's GenTen carries the Kokkos 4.7.00 release in tpls/.
# Nothing else of it is used.  It is the one that the tests exercise.
PINNED = Archive("pygenten-0.1.5.tar.gz", "e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7",
                 package="pygenten==0.1.5")
RELEASE = Archive("kokkos-4.7.02.tar.gz", "a81826ac0a167933d13506bc2a986fb5517038df9abb780fe9bb2c1d4e80803b",
                  url="https://github.com/kokkos/kokkos/releases/download/4.7.02/")


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def verify(path, archive, origin):
    """Raises Failure, after removing the file, unless its SHA-256 is the archive's."""
    found = sha256(path)
    if found != archive.sha256:
        os.remove(path)
        raise Failure("%s from %s has the wrong checksum:\n  SHA-256 %s,\n  wanted  %s" %
                      (archive.file, origin, found, archive.sha256),
                      "the file was deleted and nothing was installed. Try again; if it stays, the source or a proxy "
                      "changed the file:\nfetch it elsewhere, check it, and name it: --kokkos=FILE", EXIT_DOWNLOAD)


def pip_command():
    """A pip that runs: this Python's, the PATH's, the system's; None where there is none."""
    for command in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"], ["/usr/bin/python3", "-m", "pip"]):
        try:
            if subprocess.run([*command, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL).returncode == 0:
                return command
        except OSError:
            pass
    return None


def cached(archive, cache):
    """Path of the archive in the cache when it is there and whole, else an empty string."""
    path = os.path.join(cache, "archives", archive.file)
    return path if os.path.exists(path) and sha256(path) == archive.sha256 else ""


def fetch(archive, cache, mirror=""):
    """The verified archive in the cache, fetched if need be.  mirror: a folder or base URL to use instead."""
    path = cached(archive, cache)
    if path:
        return path
    folder = os.path.join(cache, "archives")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        with Step("fetch " + archive.file) as step:
            if archive.package and not mirror:
                origin = _pip_download(step, archive, scratch, os.path.join(cache, "logs", "pip.log"))
            else:
                origin = _download(step, archive, scratch, mirror or archive.url)
            verify(os.path.join(scratch, archive.file), archive, origin)
            step.note = "checksum verified"
        path = os.path.join(folder, archive.file)
        os.replace(os.path.join(scratch, archive.file), path)
    return path


def _by_hand(archive):
    how = "pip download --no-deps --no-binary :all: " + archive.package if archive.package else archive.url + archive.file
    return ("on a machine that has network fetch %s:\n  %s\ncopy it here and run the same command with --kokkos=%s"
            % (archive.file, how, archive.file))


def _pip_download(step, archive, scratch, log):
    pip = pip_command()
    if pip is None:
        raise Failure("no pip: it brings the pinned Kokkos source (%s)" % archive.file,
                      "sudo apt-get install --no-install-recommends python3-pip\nor " + _by_hand(archive), EXIT_DOWNLOAD)
    requirements = os.path.join(scratch, "requirements.txt")
    with open(requirements, "w") as file:
        file.write("%s --hash=sha256:%s\n" % (archive.package, archive.sha256))
    name = archive.package.split("==")[0]
    command = [*pip, "download", "--no-deps", "--no-binary", name, "--require-hashes", "--no-cache-dir",
               "--disable-pip-version-check", "--progress-bar", "off", "-d", scratch, "-r", requirements]
    if os.path.exists(log):
        os.remove(log)
    try:
        execute(step, command, log, _by_hand(archive), code=EXIT_DOWNLOAD)
    except Failure as failure:
        with open(log, errors="replace") as file:
            text = file.read()
        if "DO NOT MATCH THE HASHES" in text or "HASHES ARE REQUIRED" in text:
            failure.problem = ("pip got a %s with the wrong checksum (wanted SHA-256 %s)"
                               % (archive.file, archive.sha256))
            failure.remedy = ("nothing was installed. Try again; if it stays, the package index or a proxy changed "
                              "the file:\n" + _by_hand(archive))
        else:
            failure.problem = "pip cannot fetch %s: no network, or the package index does not answer" % archive.file
        raise
    return "pip"


def _download(step, archive, scratch, base):
    target = os.path.join(scratch, archive.file)
    if os.path.isdir(base):
        origin = os.path.join(base, archive.file)
        if not os.path.exists(origin):
            raise Failure("the mirror folder %s has no %s" % (base, archive.file),
                          "put it there, or leave the mirror out", EXIT_DOWNLOAD)
        shutil.copyfile(origin, target)
        return origin
    origin = base.rstrip("/") + "/" + archive.file
    try:
        with urllib.request.urlopen(origin, timeout=60) as reply, open(target, "wb") as file:
            total, got = int(reply.headers.get("Content-Length") or 0), 0
            for block in iter(lambda: reply.read(1 << 16), b""):
                file.write(block)
                got += len(block)
                step.progress("%.1f of %.1f MB" % (got / 1e6, max(total, got) / 1e6))
    except (OSError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", error)
        raise Failure("cannot fetch %s: %s" % (origin, reason), _by_hand(archive), EXIT_DOWNLOAD) from error
    return origin


def unpack(path, folder):
    """Unpacks a tar or zip archive into a new folder; members that point outside are refused."""
    os.makedirs(folder)
    root = os.path.realpath(folder) + os.sep
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                _refuse_outside(path, root, names)
                archive.extractall(folder)
        else:
            with tarfile.open(path) as archive:
                # Only folders named kokkos or kokkos-<version> matter; the rest of a big sdist does not.
                members = [m for m in archive.getmembers() if m.isfile() or m.isdir()]
                wanted = [m for m in members if "/tpls/kokkos/" in m.name] or members
                _refuse_outside(path, root, [m.name for m in wanted])
                safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                archive.extractall(folder, members=wanted, **safely)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise Failure("%s cannot be unpacked: %s" % (path, error),
                      "it is truncated or not a tar or zip archive: fetch it again (%s)"
                      % quote(["sha256sum", path])) from error


def _refuse_outside(path, root, names):
    for name in names:
        if not (os.path.realpath(os.path.join(root, name)) + os.sep).startswith(root):
            raise Failure("%s holds the member %r, which would be written outside" % (path, name),
                          "do not use this archive; fetch another")
