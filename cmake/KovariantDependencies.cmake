# SPDX-License-Identifier: MIT
#
# What the library needs, for KovariantConfig.cmake.  A file of its own: find_dependency() returns from it where something is
# missing, and the caller's paths are put back.
set(Kovariant_DEPENDENCIES_FOUND FALSE)
find_dependency(Random123 MODULE)
if(NOT Kovariant_SHARED)  # a static library leaves its own dependencies to the final link
  if((Kovariant_MPI OR Kovariant_HDF5) AND NOT CMAKE_C_COMPILER_LOADED)  # their find modules try C programs
    enable_language(C)
  endif()
  find_dependency(Libdeflate MODULE)
  find_dependency(pugixml)
  find_dependency(spdlog)
  if(Kovariant_MPI)
    find_dependency(MPI COMPONENTS C)
  endif()
  if(Kovariant_HDF5)
    find_dependency(HDF5 1.10.5 COMPONENTS C)
  endif()
endif()
set(Kovariant_DEPENDENCIES_FOUND TRUE)
