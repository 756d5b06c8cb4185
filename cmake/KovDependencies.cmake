# SPDX-License-Identifier: MIT
#
# Finds everything the library, programs and tests link.  Each failure says which package brings the missing part.

# kov_require(<variable> <what> <Debian package>): stops with the remedy when <variable> is false.
function(kov_require variable what package)
  if(NOT ${variable})
    message(FATAL_ERROR "${what} not found: Kovariant needs it.\n"
                        "Run `./bootstrap build`, which installs what is missing, or install the package ${package}.")
  endif()
endfunction()

# Kokkos: its version file refuses other major versions, so the check is ours.
find_package(Kokkos QUIET)
if(Kokkos_FOUND AND Kokkos_VERSION VERSION_LESS 4.7)
  message(FATAL_ERROR "Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR} is too old: Kovariant needs 4.7 or newer.\n"
                      "Run `./bootstrap build`, which builds one, or name another: -DKokkos_ROOT=PREFIX.")
elseif(NOT Kokkos_FOUND)
  message(FATAL_ERROR "Kokkos not found: Kovariant needs 4.7 or newer.\n"
                      "Run `./bootstrap build`, which builds one, or name an installed one: -DKokkos_ROOT=PREFIX.")
endif()
list(TRANSFORM Kokkos_DEVICES TOUPPER OUTPUT_VARIABLE kov_devices)
if(KOV_CUDA AND NOT "CUDA" IN_LIST kov_devices)
  message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} has no CUDA (it has ${Kokkos_DEVICES}), but KOV_CUDA is on.\n"
                      "Run `./bootstrap build --backend cuda --arch sm_90`, or name another: -DKokkos_ROOT=PREFIX.")
endif()
if(KOV_CUDA_ARCH AND NOT "${Kokkos_CUDA_ARCHITECTURES}" STREQUAL "")
  string(REGEX REPLACE "^sm_" "" kov_arch "${KOV_CUDA_ARCH}")
  if(NOT Kokkos_CUDA_ARCHITECTURES STREQUAL kov_arch)
    message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} was built for sm_${Kokkos_CUDA_ARCHITECTURES}, not ${KOV_CUDA_ARCH}.\n"
                        "Run `./bootstrap build --backend cuda --arch ${KOV_CUDA_ARCH}`.")
  endif()
endif()
if(KOV_BOUNDS_CHECKS AND NOT Kokkos_ENABLE_DEBUG_BOUNDS_CHECK)
  message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} does not check bounds, but KOV_BOUNDS_CHECKS is on.\n"
                      "Run `./bootstrap test --preset debug`, which builds one that does.")
endif()

# Of libdeflate the crc32 alone: 10 GB/s and more on a core where zlib's 1.2 does 1, and checksums were most of the time
# that reading a configuration takes.  Plain C that picks its instructions when it runs, and in every distribution, where
# ISA-L's, as fast, needs an assembler.
find_package(Libdeflate QUIET MODULE)
kov_require(Libdeflate_FOUND "libdeflate" libdeflate-dev)
# pugixml parses the XML records of ILDG and SciDAC files.
find_package(pugixml QUIET)
kov_require(pugixml_FOUND "pugixml" libpugixml-dev)
find_package(spdlog QUIET)
kov_require(spdlog_FOUND "spdlog" libspdlog-dev)
# Eigen solves the small dense problems of the host: generalised eigenvalues, least squares.  Headers, in .cpp files only.
find_package(Eigen3 3.3 QUIET NO_MODULE)
kov_require(Eigen3_FOUND "Eigen 3" libeigen3-dev)
find_package(Random123 QUIET MODULE)
kov_require(Random123_FOUND "Random123" librandom123-dev)

# Optional parts: on where found; switched on by hand, they must be there.
include(KovOption)
find_package(MPI QUIET COMPONENTS C)
kov_optional(KOV_MPI "Several processes over MPI" "${MPI_C_FOUND}")
if(KOV_MPI)
  kov_require(MPI_C_FOUND "MPI (option KOV_MPI)" libopenmpi-dev)
endif()
find_package(HDF5 1.10.5 QUIET COMPONENTS C)
kov_optional(KOV_HDF5 "Read and write HDF5 files" "${HDF5_FOUND}")
if(KOV_HDF5)
  kov_require(HDF5_FOUND "HDF5 1.10.5 or newer (option KOV_HDF5)" libhdf5-dev)
endif()

if(KOV_APPS)
  find_package(CLI11 QUIET)
  kov_require(CLI11_FOUND "CLI11" libcli11-dev)
  find_path(KOV_TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
  kov_require(KOV_TOMLPLUSPLUS_INCLUDE_DIR "toml++" libtomlplusplus-dev)
  # Pictures as PDF, which for print must contain their fonts: cairo finds the fonts of the machine, measures them and
  # puts the letters used into the file.  Optional, because pictures as SVG need nothing and clusters often lack it.
  find_path(KOV_CAIRO_INCLUDE_DIR cairo/cairo-pdf.h)
  find_library(KOV_CAIRO_LIBRARY cairo)
  set(kov_cairo OFF)
  if(KOV_CAIRO_INCLUDE_DIR AND KOV_CAIRO_LIBRARY)
    set(kov_cairo ON)
  endif()
  kov_optional(KOV_PDF "Draw pictures as PDF too, with cairo" ${kov_cairo})
  if(KOV_PDF)
    kov_require(kov_cairo "cairo (option KOV_PDF)" libcairo2-dev)
  endif()
endif()
if(KOV_TESTS)
  find_package(GTest QUIET)
  kov_require(GTest_FOUND "GoogleTest" libgtest-dev)
  find_package(nlohmann_json QUIET)
  kov_require(nlohmann_json_FOUND "nlohmann/json" nlohmann-json3-dev)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  kov_require(Python3_FOUND "Python 3.9" python3)
endif()
# A BLAS is no dependency: contractions/blas loads one when a program asks for it, so that a build needs none and a run
# takes the best that its machine has.  Nothing uses Kokkos Kernels, whose wrappers of BLAS would do the same: every file
# that includes its products takes 12 s longer to compile, and a build with the vendors' libraries many minutes.
