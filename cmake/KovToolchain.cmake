# SPDX-License-Identifier: MIT
#
# Runs before project().  A CUDA build compiles with the nvcc_wrapper of the Kokkos it uses: that one file knows the
# architecture and passes -std=c++20 on, which CMake before 3.26 cannot do for its CUDA language.

# Where nobody says how to compile it is Release.  A project that has this one as a subfolder gets an optimised library,
# a warning about its own code, and keeps its settings.  PROJECT_IS_TOP_LEVEL exists only after project().
include(KovBuildType)
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
  endif()
else()
  kovariant_check_build_type(kov_without_type)
  if(kov_without_type)
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()

option(KOV_CUDA "Compile with the nvcc_wrapper of the Kokkos found; the preset cuda sets it" OFF)
set(KOV_CUDA_ARCH "" CACHE STRING "CUDA architecture that Kokkos must have been built for, for instance sm_90; empty: any")

if(KOV_CUDA AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  set(kov_bin_of_package "")
  if(Kokkos_DIR)  # PREFIX/lib/cmake/Kokkos, which find_package() takes first
    set(kov_bin_of_package "${Kokkos_DIR}/../../../bin")
  endif()
  find_program(KOV_NVCC_WRAPPER nvcc_wrapper HINTS ${kov_bin_of_package} "${Kokkos_ROOT}/bin" "$ENV{Kokkos_ROOT}/bin")
  if(NOT KOV_NVCC_WRAPPER)
    message(FATAL_ERROR "no nvcc_wrapper found: a CUDA build compiles with the wrapper of a Kokkos built for CUDA.\n"
                        "Run `./bootstrap build --backend cuda --arch sm_90`, or name such a Kokkos: -DKokkos_ROOT=PREFIX.")
  endif()
  set(CMAKE_CXX_COMPILER "${KOV_NVCC_WRAPPER}" CACHE FILEPATH "nvcc_wrapper of Kokkos")
endif()
