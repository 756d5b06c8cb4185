# SPDX-License-Identifier: MIT
message(STATUS "Kovariant ${PROJECT_VERSION} ${KOV_GIT_REVISION}: ${CMAKE_CXX_COMPILER_ID} "
               "${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
message(STATUS "  Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}; ${Kokkos_ARCH}) in ${Kokkos_DIR}")
set(kov_data "${KOV_TEST_DATA}")
if(NOT EXISTS "${KOV_TEST_DATA}/oracles/plaquettes.json")
  string(APPEND kov_data " (absent)")
endif()
message(STATUS "  MPI ${KOV_MPI}, HDF5 ${KOV_HDF5}, PDF ${KOV_PDF}, program ${KOV_APPS}, tests ${KOV_TESTS}, data ${kov_data}")
