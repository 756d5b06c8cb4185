# SPDX-License-Identifier: MIT
"""What this machine has: compilers, CUDA, processors.  Their versions go into the keys of cached builds."""
import hashlib
import os
import platform
import re
import shutil
from dataclasses import dataclass

from .steps import EXIT_USAGE, Failure, capture

# CUDA architecture -> Kokkos' name for it.
KOKKOS_ARCH = {"sm_70": "VOLTA70", "sm_75": "TURING75", "sm_80": "AMPERE80", "sm_86": "AMPERE86", "sm_89": "ADA89",
               "sm_90": "HOPPER90", "sm_100": "BLACKWELL100", "sm_120": "BLACKWELL120"}


@dataclass(frozen=True)
class Compiler:
    """The host C++ compiler: path, family and full version."""
    path: str
    family: str
    version: str


def host_compiler():
    """$CXX or c++; for CUDA builds the one nvcc_wrapper calls."""
    name = os.environ.get("CXX") or os.environ.get("NVCC_WRAPPER_DEFAULT_COMPILER") or "c++"
    path = shutil.which(name) or ""
    if not path:
        raise Failure("no C++ compiler: %s is not on the PATH" % name,
                      "sudo apt-get install g++   (or set CXX to a GCC 11 or Clang 14 or newer)")
    text = capture([path, "--version"])
    family = "clang" if "clang" in text.lower() else "gnu" if re.search(r"\bg?\+\+|GCC|Free Software", text) else "other"
    version = capture([path, "-dumpfullversion"]) if family == "gnu" else ""
    found = re.search(r"\d+\.\d+(\.\d+)?", text)
    return Compiler(path, family, version or (found.group(0) if found else "unknown"))


def cuda_version():
    """Version of nvcc as (major, minor); None without it."""
    found = re.search(r"release (\d+)\.(\d+)", capture(["nvcc", "--version"]))
    return (int(found.group(1)), int(found.group(2))) if found else None


def gpu_arch():
    """Architecture of the first GPU, "sm_90"; empty without one."""
    found = re.match(r"(\d+)\.(\d+)", capture(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]))
    return "sm_%s%s" % found.groups() if found else ""


def check_cuda(arch):
    """The CUDA version; raises Failure without nvcc or with an architecture that Kokkos does not know."""
    version = cuda_version()
    if version is None:
        raise Failure("--backend cuda needs nvcc, and there is none on the PATH",
                      "install the CUDA toolkit 12.2 or newer, or add its bin folder to PATH:\n"
                      "export PATH=/usr/local/cuda/bin:$PATH", EXIT_USAGE)
    if arch not in KOKKOS_ARCH:
        raise Failure("unknown CUDA architecture %r" % arch,
                      "give one of " + ", ".join(KOKKOS_ARCH), EXIT_USAGE)
    return version


def native_flags():
    """What -march=native means here: a hash of the processor's name and abilities."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = [line for line in file if line.split(":")[0].strip() in ("model name", "flags", "Features")]
    except OSError:
        lines = [platform.processor()]
    return hashlib.sha256("".join(sorted(set(lines))).encode()).hexdigest()[:12]


def processors():
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs(memory_per_job_gb=1.5):
    """Parallel compilations that fit into processors and memory."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    except (ValueError, OSError):
        memory = 4.0
    return max(1, min(processors(), int(memory / memory_per_job_gb)))
