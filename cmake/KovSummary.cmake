# SPDX-License-Identifier: MIT
message(STATUS "Kovariant ${PROJECT_VERSION} ${KOV_GIT_REVISION}: ${CMAKE_CXX_COMPILER_ID} "
               "${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
message(STATUS "  Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}; ${Kokkos_ARCH}) in ${Kokkos_DIR}")
set(kov_data "${KOV_TEST_DATA}")
if(NOT EXISTS "${KOV_TEST_DATA}/oracles/plaquettes.json")
  string(APPEND kov_data " (absent)")
endif()
set(kov_program "program ${KOV_APPS}")
if(KOV_APPS)
  string(APPEND kov_program ", PDF ${KOV_PDF}")
endif()
message(STATUS "  MPI ${KOV_MPI}, HDF5 ${KOV_HDF5}, ${kov_program}, tests ${KOV_TESTS}, data ${kov_data}")
